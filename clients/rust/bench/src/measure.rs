// SPDX-License-Identifier: MIT
//! Runs a row: each implementation in turn, for a number of rounds, and the medians.

use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use crate::rows::{Row, Timer};

const TASKS: usize = 1_000;
const LOOPS: usize = 1_000;

pub fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).enable_all().build().expect("a runtime")
}

fn once(runtime: &Runtime, row: &Row, timer: Timer, tasks: usize, loops: usize) {
    runtime.block_on(async {
        let tasks: Vec<_> = (0..tasks).map(|_| tokio::spawn((row.run)(timer, loops))).collect();
        for task in tasks {
            task.await.expect("a task");
        }
    });
}

/// Nanoseconds per loop.
fn timed(runtime: &Runtime, row: &Row, timer: Timer) -> f64 {
    let start = Instant::now();

    once(runtime, row, timer, TASKS, LOOPS);
    start.elapsed().as_nanos() as f64 / (TASKS * LOOPS) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints the medians, the ratio to tokio's, and the ratio of what the timers add.
pub fn run(row: &Row, workers: usize, rounds: usize) {
    let timers = [Timer::None, Timer::Tokio, Timer::Wheel];
    let mut samples = [vec![], vec![], vec![]];
    let runtime = runtime(workers);

    for round in 0..=rounds {
        for (timer, samples) in timers.iter().zip(&mut samples) {
            let ns = timed(&runtime, row, *timer);
            // The first round fills caches.
            if round > 0 {
                samples.push(ns);
            }
        }
    }
    let [none, tokio, wheel] = samples.map(median);
    println!(
        "{:8} {:7} {:8.1} {:8.1} {:8.1} {:8.2} {:8.2}",
        row.name, workers, none, tokio, wheel, wheel / tokio, (wheel - none) / (tokio - none)
    );
}

pub fn count(row: &Row, timer: Timer, loops: usize) {
    once(&runtime(1), row, timer, 100, loops);
}
