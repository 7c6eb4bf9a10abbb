// SPDX-License-Identifier: MIT
//! The behavior of each function, on both kinds of runtimes.

use std::future::{pending, Future};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::task::{waker, ArcWake};
use tokio::runtime::{Builder, Runtime};
use wheel_tokio::*;

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(3600);

fn runtimes() -> Vec<Runtime> {
    let mut multi = Builder::new_multi_thread();
    let mut current = Builder::new_current_thread();

    vec![
        multi.worker_threads(2).enable_all().build().unwrap(),
        current.enable_all().build().unwrap(),
    ]
}

/// Runs a test as a task of each kind of runtime.
fn on_each<F: Future<Output = ()> + Send + 'static>(test: fn() -> F) {
    for runtime in runtimes() {
        runtime.block_on(async move { tokio::spawn(test()).await.unwrap() });
    }
}

struct Count(AtomicUsize);

impl ArcWake for Count {
    fn wake_by_ref(this: &Arc<Self>) {
        this.0.fetch_add(1, SeqCst);
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F, count: &Arc<Count>) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(&waker(count.clone())))
}

fn count() -> Arc<Count> {
    Arc::new(Count(AtomicUsize::new(0)))
}

/// The backend is the requested one, so that the other tests test it.
#[test]
fn backend_is_in_use() {
    let kernel = std::env::var("LIBWHEEL_BACKEND").map_or(false, |name| name == "kernel");

    for runtime in runtimes() {
        let expected = if kernel { Backend::Kernel } else { Backend::User };
        assert_eq!(runtime.block_on(async { backend() }), expected);
    }
}

#[test]
fn timers_need_no_runtime() {
    let start = Instant::now();

    futures::executor::block_on(async {
        assert_ne!(backend(), Backend::Tokio);
        sleep(SHORT).await;
        assert!(timeout(SHORT, pending::<()>()).await.is_err());
    });
    assert!(start.elapsed() >= SHORT * 2);
}

#[test]
fn sleep_is_not_early() {
    on_each(|| async {
        for micros in (0..20_000).step_by(1_700) {
            let (start, duration) = (Instant::now(), Duration::from_micros(micros));
            sleep(duration).await;
            assert!(start.elapsed() >= duration);
        }
    });
}

#[test]
fn sleep_until_the_past_is_ready_at_once() {
    on_each(|| async {
        let past = Instant::now() - SHORT;
        assert!(poll_once(&mut sleep_until(past), &count()).is_ready());
        assert!(poll_once(&mut sleep(Duration::ZERO), &count()).is_ready());
        assert!(poll_once(&mut Box::pin(timeout_at(past, pending::<()>())), &count()).is_ready());
    });
}

#[test]
fn huge_durations_do_not_overflow() {
    on_each(|| async {
        for duration in [Duration::MAX, Duration::from_secs(u64::MAX / 2), LONG * 24 * 365 * 300] {
            assert!(poll_once(&mut sleep(duration), &count()).is_pending());
            assert_eq!(timeout(duration, async { 1 }).await, Ok(1));
        }
    });
}

#[test]
fn timeout_returns_elapsed() {
    on_each(|| async {
        let start = Instant::now();
        let result: Result<(), error::Elapsed> = timeout(SHORT, pending()).await;
        assert!(start.elapsed() >= SHORT);
        let io: std::io::Error = result.unwrap_err().into();
        assert_eq!(io.kind(), std::io::ErrorKind::TimedOut);
    });
}

#[test]
fn completion_wins_over_timeout() {
    on_each(|| async {
        assert_eq!(timeout(Duration::ZERO, async { 1 }).await, Ok(1));
        assert_eq!(timeout_at(Instant::now() - SHORT, async { 1 }).await, Ok(1));
        let yields = async { tokio::task::yield_now().await };
        assert_eq!(timeout(LONG, yields).await, Ok(()));
    });
}

#[test]
fn deadline_counts_from_creation() {
    on_each(|| async {
        let sleep = sleep(SHORT);
        let deadline = sleep.deadline();
        std::thread::sleep(SHORT * 2);
        sleep.await;
        assert!(Instant::now() >= deadline);
    });
}

#[test]
fn reset_moves_earlier_and_later() {
    on_each(|| async {
        let mut sleep = Box::pin(sleep(LONG));
        assert!(poll_once(&mut sleep, &count()).is_pending());
        let soon = Instant::now() + SHORT;
        sleep.as_mut().reset(soon);
        assert_eq!(sleep.deadline(), soon);
        sleep.as_mut().await;
        assert!(Instant::now() >= soon && sleep.is_elapsed());

        let soon = Instant::now() + SHORT;
        sleep.as_mut().reset(soon);
        assert!(!sleep.is_elapsed());
        assert!(poll_once(&mut sleep, &count()).is_pending());
        let later = soon + SHORT;
        sleep.as_mut().reset(later);
        sleep.await;
        assert!(Instant::now() >= later);
    });
}

/// A task that waits is woken at the new deadline without another poll.
#[test]
fn reset_keeps_the_waker() {
    on_each(|| async {
        let (count, mut timer) = (count(), sleep(LONG));
        assert!(poll_once(&mut timer, &count).is_pending());
        Pin::new(&mut timer).reset(Instant::now() + SHORT);
        while count.0.load(SeqCst) == 0 {
            sleep(SHORT).await;
        }
        assert!(poll_once(&mut timer, &count).is_ready());
    });
}

#[test]
fn the_last_waker_is_woken() {
    on_each(|| async {
        let (first, last, mut timer) = (count(), count(), sleep(SHORT));
        assert!(poll_once(&mut timer, &first).is_pending());
        // It may expire on a loaded machine, and then wakes the first.
        if poll_once(&mut timer, &last).is_ready() {
            return;
        }
        while last.0.load(SeqCst) == 0 {
            sleep(SHORT).await;
        }
        assert_eq!(first.0.load(SeqCst), 0);
        assert!(poll_once(&mut timer, &last).is_ready());
    });
}

#[test]
fn a_dropped_sleep_releases_its_waker() {
    on_each(|| async {
        let (count, mut timer) = (count(), sleep(LONG));
        assert!(poll_once(&mut timer, &count).is_pending());
        assert_eq!(Arc::strong_count(&count), 2);
        drop(timer);
        assert_eq!(Arc::strong_count(&count), 1);
    });
}

#[test]
fn interval_ticks_on_its_grid() {
    on_each(|| async {
        let start = Instant::now();
        let mut interval = interval(SHORT);
        for tick in 0..5 {
            let at = interval.tick().await;
            assert!(Instant::now() >= at && at >= start + SHORT * tick);
        }
    });
}

#[test]
fn interval_catches_up_as_configured() {
    on_each(|| async {
        let period = Duration::from_millis(20);
        let behaviors =
            [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip];
        for behavior in behaviors {
            let start = Instant::now() - period * 3 - SHORT * 2;
            let mut interval = interval_at(start, period);
            interval.set_missed_tick_behavior(behavior);
            let first = interval.tick().await;
            let now = Instant::now();
            let second = interval.tick().await;
            assert_eq!(first, start);
            match behavior {
                MissedTickBehavior::Burst => assert_eq!(second, start + period),
                MissedTickBehavior::Delay => assert!(second <= now + period && second > start + period * 4),
                _ => assert_eq!((second - start).as_nanos() % period.as_nanos(), 0),
            }
        }
    });
}

#[test]
#[should_panic(expected = "`period` must be non-zero")]
fn interval_of_zero_panics() {
    interval(Duration::ZERO);
}

/// A future that is always ready must not starve the other tasks of its thread.
#[test]
fn ready_sleeps_yield() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();

    runtime.block_on(async {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        tokio::spawn(async move { other.store(1, SeqCst) });
        while flag.load(SeqCst) == 0 {
            sleep(Duration::ZERO).await;
        }
    });
}

#[test]
fn futures_can_be_sent() {
    fn check<T: Send + Sync + Unpin>(_: T) {}

    check(sleep(SHORT));
    check(interval(SHORT));
    check(Box::pin(timeout(SHORT, async {})));
}

#[test]
fn many_timers_are_pending_at_once() {
    on_each(|| async {
        let sleeps: Vec<_> = (0..20_000).map(|at| {
            let sleep = sleep(Duration::from_micros(20_000 + at % 10_000));
            tokio::spawn(async move {
                let deadline = sleep.deadline();
                sleep.await;
                assert!(Instant::now() >= deadline);
            })
        }).collect();

        for sleep in sleeps {
            sleep.await.unwrap();
        }
    });
}
