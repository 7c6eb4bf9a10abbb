// SPDX-License-Identifier: MIT
//! Runs a row: each implementation in turn, for a number of rounds, and the medians.

use std::os::raw::{c_int, c_long};

use tokio::runtime::{Builder, Runtime};

use crate::rows::{Row, Timer};

const TASKS: usize = 1_000;
const LOOPS: usize = 1_000;

pub fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).enable_all().build().expect("a runtime")
}

#[repr(C)]
struct Timespec {
    seconds: c_long,
    nanoseconds: c_long,
}

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

/// CPU time of all threads of the process, in nanoseconds. It depends less on the load of the
/// machine than the elapsed time.
pub fn cpu() -> u64 {
    const CLOCK_PROCESS_CPUTIME_ID: c_int = 2;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };

    // SAFETY: the pointer is valid for the call.
    assert_eq!(unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) }, 0);
    time.seconds as u64 * 1_000_000_000 + time.nanoseconds as u64
}

fn once(runtime: &Runtime, row: &Row, timer: Timer, tasks: usize, loops: usize) {
    runtime.block_on(async {
        let tasks: Vec<_> = (0..tasks).map(|_| tokio::spawn((row.run)(timer, loops))).collect();
        for task in tasks {
            task.await.expect("a task");
        }
    });
}

/// CPU nanoseconds per loop.
fn timed(runtime: &Runtime, row: &Row, timer: Timer) -> f64 {
    let start = cpu();

    once(runtime, row, timer, TASKS, LOOPS);
    (cpu() - start) as f64 / (TASKS * LOOPS) as f64
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
