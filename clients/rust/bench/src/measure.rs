// SPDX-License-Identifier: MIT
//! Runs a row: each implementation in turn, for a number of rounds, and the medians.

use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use crate::rows::{Row, Timer};

pub fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).enable_all().build().expect("a runtime")
}

/// Nanoseconds per loop.
fn once(runtime: &Runtime, row: &Row, timer: Timer, tasks: usize, loops: usize) -> f64 {
    let start = Instant::now();

    runtime.block_on(async {
        let tasks: Vec<_> = (0..tasks).map(|_| tokio::spawn((row.run)(timer, loops))).collect();
        for task in tasks {
            task.await.expect("a task");
        }
    });
    start.elapsed().as_nanos() as f64 / (tasks * loops) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn run(row: &Row, workers: usize, rounds: usize, tasks: usize, loops: usize) {
    let timers = [Timer::None, Timer::Tokio, Timer::Wheel];
    let mut samples = [vec![], vec![], vec![]];
    let runtime = runtime(workers);

    for round in 0..=rounds {
        for (timer, samples) in timers.iter().zip(&mut samples) {
            let ns = once(&runtime, row, *timer, tasks, loops);
            // The first round fills caches.
            if round > 0 {
                samples.push(ns);
            }
        }
    }
    let [none, tokio, wheel] = samples.map(median);
    println!(
        "{:8} {} {:8.1} {:8.1} {:8.1} {:8.2} {:8.2}",
        row.name, workers, none, tokio, wheel, wheel / tokio, (wheel - none) / (tokio - none)
    );
}
