// SPDX-License-Identifier: MIT
//! The cost and the lateness of expiries: with deadlines spread over a second, and one at a time.

use std::time::{Duration, Instant};

use crate::measure::{cpu, runtime};
use crate::rows::Timer;

async fn sleep(timer: Timer, duration: Duration) -> Duration {
    let deadline = Instant::now() + duration;

    match timer {
        Timer::None => {}
        Timer::Tokio => tokio::time::sleep(duration).await,
        Timer::Wheel => wheel_tokio::sleep(duration).await,
    }
    Instant::now().checked_duration_since(deadline).expect("no timer is early")
}

async fn lateness(timer: Timer, count: usize) -> Vec<Duration> {
    let duration = |at: usize| Duration::from_micros(100_000 + (at * 7_919 % 1_000_000) as u64);
    let tasks: Vec<_> = (0..count).map(|at| tokio::spawn(sleep(timer, duration(at)))).collect();
    let mut late = Vec::with_capacity(count);

    for task in tasks {
        late.push(task.await.expect("a task"));
    }
    late.sort();
    late
}

pub fn run(timer: Timer, count: usize) {
    let start = cpu();
    let late = runtime(2).block_on(lateness(timer, count));
    let each = (cpu() - start) as usize / count;
    let at = |percent: usize| late[(count - 1) * percent / 100].as_secs_f64() * 1e3;

    println!("{} ns CPU, p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms", each, at(50), at(99), at(100));
}

/// One timer at a time, on an idle runtime.
pub fn lone(timer: Timer, count: usize) {
    let start = cpu();

    runtime(2).block_on(async move {
        let sleeps = async move {
            for _ in 0..count {
                sleep(timer, Duration::from_millis(1)).await;
            }
        };
        tokio::spawn(sleeps).await.expect("a task")
    });
    println!("{} ns CPU", (cpu() - start) as usize / count);
}
