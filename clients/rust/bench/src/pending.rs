// SPDX-License-Identifier: MIT
//! The cost of pending timers while none expires: memory, and wake-ups of the idle process.

use std::fs;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::time::{Duration, Instant};

use crate::measure::runtime;
use crate::rows::Timer;

const HOUR: Duration = Duration::from_secs(3600);

/// Value of a line of /proc/self/task/*/status, summed over the threads.
fn sum_of(name: &str) -> usize {
    let status = |task: fs::DirEntry| fs::read_to_string(task.path().join("status")).ok();
    let value = |text: String| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<usize>().ok()
    };

    fs::read_dir("/proc/self/task").expect("/proc").flatten().filter_map(status).filter_map(value).sum()
}

fn resident() -> usize {
    let text = fs::read_to_string("/proc/self/statm").expect("/proc");
    let pages: usize = text.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number");

    pages * 4096
}

/// Polls the futures once each, in place, and keeps them pending.
async fn hold<F: Future>(make: impl Fn() -> F, count: usize) {
    let before = resident();
    let start = Instant::now();
    let mut timers: Vec<F> = (0..count).map(|_| make()).collect();
    futures_poll(&mut timers).await;
    let armed = start.elapsed();
    let bytes = (resident() - before) / count;
    // The first expiry of a scan is not counted.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let switches = sum_of("voluntary_ctxt_switches");
    std::thread::sleep(Duration::from_secs(5));
    let idle = sum_of("voluntary_ctxt_switches") - switches;
    let start = Instant::now();
    drop(timers);

    println!(
        "arm {:.0} ns, drop {:.0} ns, {} bytes per timer, {} wake-ups in 5 s",
        armed.as_nanos() as f64 / count as f64,
        start.elapsed().as_nanos() as f64 / count as f64,
        bytes,
        idle
    );
}

/// Polls each future of a slice, which is not moved afterwards.
async fn futures_poll<F: Future>(timers: &mut [F]) {
    struct PollAll<'a, F>(&'a mut [F]);

    impl<F: Future> Future for PollAll<'_, F> {
        type Output = ();

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> std::task::Poll<()> {
            for timer in self.0.iter_mut() {
                // SAFETY: the vector is neither moved nor changed until it is dropped.
                let _ = unsafe { Pin::new_unchecked(timer) }.poll(cx);
            }
            std::task::Poll::Ready(())
        }
    }
    PollAll(timers).await
}

pub fn run(timer: Timer, count: usize) {
    runtime(1).block_on(async {
        match timer {
            Timer::None => hold(std::future::pending::<()>, count).await,
            Timer::Tokio => hold(|| tokio::time::sleep(HOUR), count).await,
            Timer::Wheel => hold(|| wheel_tokio::sleep(HOUR), count).await,
        }
    });
}
