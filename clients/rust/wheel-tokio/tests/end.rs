// SPDX-License-Identifier: MIT
//! Abnormal ends: panics, leaks, shutdown, fork(), and missing wheels.

use std::env;
use std::future::{pending, Future};
use std::mem;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use futures::task::{noop_waker_ref, waker, ArcWake};
use tokio::runtime::{Builder, Runtime};
use wheel_tokio::*;

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(3600);

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

fn multi() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn current() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn arm(sleep: &mut Sleep) {
    let polled = Pin::new(sleep).poll(&mut Context::from_waker(noop_waker_ref()));
    assert!(polled.is_pending());
}

/// Runs a test of this file in a separate process, with a variable of the environment.
fn in_process(test: &str, name: &str, value: &str) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--test-threads=1"])
        .env(name, value)
        .output()
        .unwrap();

    assert!(output.status.success(), "{:?}", output);
}

struct Panics;

impl ArcWake for Panics {
    fn wake_by_ref(_: &Arc<Self>) {
        panic!("a waker that panics, as the test has it");
    }
}

#[test]
fn a_waker_that_panics_delays_no_other_timer() {
    for runtime in [multi(), current()] {
        runtime.block_on(async {
            let panics = waker(Arc::new(Panics));
            let mut timers: Vec<_> = (0..10).map(|_| sleep(SHORT)).collect();
            for timer in &mut timers {
                let _ = Pin::new(timer).poll(&mut Context::from_waker(&panics));
            }
            sleep(SHORT * 2).await;
            assert_ne!(backend(), Backend::Tokio);
            sleep(SHORT).await;
        });
    }
}

#[test]
fn a_future_that_panics_cancels_its_timeout() {
    for runtime in [multi(), current()] {
        runtime.block_on(async {
            let task = tokio::spawn(timeout(LONG, async {
                tokio::task::yield_now().await;
                panic!("a future that panics, as the test has it");
            }));
            assert!(task.await.unwrap_err().is_panic());
            sleep(SHORT).await;
        });
    }
}

#[test]
fn an_aborted_task_cancels_its_timeout() {
    for runtime in [multi(), current()] {
        runtime.block_on(async {
            let task = tokio::spawn(timeout(LONG, pending::<()>()));
            tokio::task::yield_now().await;
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
        });
    }
}

/// The timers expire, and their slots stay in use. Nothing else happens.
#[test]
fn leaked_futures_harm_no_other() {
    for runtime in [multi(), current()] {
        runtime.block_on(async {
            for _ in 0..1_000 {
                let mut timer = sleep(SHORT);
                arm(&mut timer);
                mem::forget(timer);
            }
            sleep(SHORT * 2).await;
        });
    }
}

/// Timers outlive their runtime, and expire in another one.
#[test]
fn shutdown_leaves_pending_timers_usable() {
    for runtime in [multi(), current()] {
        let mut timers: Vec<_> = (0..1_000).map(|_| sleep(SHORT)).collect();
        let mut long = sleep(LONG);
        runtime.block_on(async {
            timers.iter_mut().for_each(arm);
            arm(&mut long);
            tokio::spawn(timeout(LONG, pending::<()>()));
            tokio::task::yield_now().await;
        });
        drop(runtime);
        multi().block_on(async {
            for timer in timers {
                let deadline = timer.deadline();
                timer.await;
                assert!(Instant::now() >= deadline);
            }
        });
        drop(long);
    }
}

#[test]
fn shutdown_in_the_background_leaves_pending_timers_usable() {
    let runtime = multi();
    let mut timer = sleep(SHORT);

    runtime.block_on(async { arm(&mut timer) });
    runtime.shutdown_background();
    current().block_on(timer);
}

/// Two current-thread runtimes alternate on a thread, and each drives its own timers.
#[test]
fn runtimes_take_turns_on_a_thread() {
    let (first, second) = (current(), current());

    for _ in 0..10 {
        first.block_on(sleep(SHORT));
        second.block_on(sleep(SHORT));
    }
}

#[test]
fn timers_are_dropped_outside_of_a_runtime() {
    let mut timers: Vec<_> = (0..1_000).map(|_| sleep(LONG)).collect();
    let runtime = multi();

    runtime.block_on(async { timers.iter_mut().for_each(arm) });
    thread::spawn(move || drop(timers)).join().unwrap();
    runtime.block_on(sleep(SHORT));
}

/// Armed timers of the parent are dropped in the child, which then builds its own runtime.
fn child(timers: Vec<Sleep>) -> bool {
    drop(timers);
    let start = Instant::now();
    current().block_on(async {
        sleep(SHORT).await;
        backend() != Backend::Tokio
    }) && start.elapsed() >= SHORT
}

#[test]
fn a_child_of_fork_has_its_own_wheel() {
    for runtime in [multi(), current()] {
        let mut timers: Vec<_> = (0..100).map(|_| sleep(LONG)).collect();
        runtime.block_on(async { timers.iter_mut().for_each(arm) });
        // SAFETY: the child calls only what this test is about, and exits at once.
        let pid = unsafe { fork() };
        if pid == 0 {
            let passed = child(timers);
            // SAFETY: no destructor may run in the child.
            unsafe { _exit(if passed { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: `status` is valid for the call.
        assert_eq!(unsafe { waitpid(pid, &mut status, 0) }, pid);
        assert_eq!(status, 0);
        runtime.block_on(sleep(SHORT));
    }
}

#[test]
fn without_a_wheel_timers_are_tokios() {
    in_process("process_without_a_wheel", "LIBWHEEL_BACKEND", "misspelt");
}

#[test]
#[ignore = "runs in a separate process"]
fn process_without_a_wheel() {
    for runtime in [multi(), current()] {
        runtime.block_on(async {
            assert_eq!(backend(), Backend::Tokio);
            assert!(timeout(SHORT, pending::<()>()).await.is_err());
            let mut timer = Box::pin(sleep(LONG));
            arm(&mut timer);
            timer.as_mut().reset(Instant::now() + SHORT);
            timer.await;
        });
    }
}

#[test]
fn a_runtime_without_drivers_has_the_wheel() {
    let without = Builder::new_current_thread().build().unwrap();

    without.block_on(async {
        sleep(SHORT).await;
        assert_ne!(backend(), Backend::Tokio);
    });
}

/// A future of the crate that is polled after it has completed stays complete.
#[test]
fn a_completed_sleep_stays_complete() {
    current().block_on(async {
        let mut timer = Box::pin(sleep(SHORT));
        timer.as_mut().await;
        let polled = timer.as_mut().poll(&mut Context::from_waker(noop_waker_ref()));
        assert_eq!(polled, Poll::Ready(()));
    });
}
