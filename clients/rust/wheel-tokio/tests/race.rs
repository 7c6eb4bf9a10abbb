// SPDX-License-Identifier: MIT
//! Timeouts that race with their drop. This is a separate program, because it counts slots.

use std::env;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::Instant;
use wheel_timer::task::slots_in_use;
use wheel_tokio::{sleep, timeout};

const TASKS: usize = 1_000;

/// Stays pending until a moment near the deadline, and requests polls until then.
struct Until(Instant);

impl Future for Until {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0 {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

async fn race(seed: u64, loops: usize) -> usize {
    let mut state = seed;
    let mut expired = 0;

    for _ in 0..loops {
        // Both moments are around the next tick.
        let after = Duration::from_micros(random(&mut state) % 300);
        let until = Until(Instant::now() + Duration::from_micros(random(&mut state) % 2_000));
        let start = Instant::now();
        if timeout(after, until).await.is_err() {
            assert!(start.elapsed() >= after);
            expired += 1;
        }
    }
    expired
}

fn run(races: usize) -> usize {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();

    runtime.block_on(async {
        let seeds = 1..=TASKS as u64;
        let tasks: Vec<_> =
            seeds.map(|seed| tokio::spawn(race(seed << 32 | 0x9e37_79b9, races / TASKS + 1))).collect();
        let mut expired = 0;
        for task in tasks {
            expired += task.await.unwrap();
        }
        expired
    })
}

/// WHEEL_RACES= is the number of timeouts.
#[test]
fn a_timeout_that_races_with_its_drop_loses_no_slot() {
    let races = env::var("WHEEL_RACES").map_or(100_000, |text| text.parse().unwrap());
    // The thread returns its slots when it exits.
    let expired = thread::spawn(move || run(races)).join().unwrap();

    println!("{} of {} timeouts expired", expired, races);
    assert!(expired > 0 && expired < races);
    // The driver has handled all events that precede this one.
    thread::spawn(|| futures::executor::block_on(sleep(Duration::from_millis(5)))).join().unwrap();
    assert_eq!(slots_in_use(), 0);
}
