// SPDX-License-Identifier: MIT
//! A thread that has used one runtime uses another one, in each way that tokio permits. tokio's own
//! timer is the oracle: it expires on each pair of runtimes.

use std::future::{pending, Future};
use std::pin::Pin;
use std::sync::mpsc::{channel, Sender};
use std::task::Context;
use std::thread;
use std::time::Duration;

use futures::executor;
use futures::future::{BoxFuture, FutureExt};
use futures::task::noop_waker_ref;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{block_in_place, LocalSet};

const SHORT: Duration = Duration::from_millis(2);
/// Only a hang exceeds it.
const LIMIT: Duration = Duration::from_secs(120);

/// The way in which a thread polls the futures of a runtime.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Worker of a multi-thread runtime.
    Worker,
    /// block_on() of a multi-thread runtime, in a thread that is not its worker.
    Foreign,
    /// block_on() in block_in_place() of a worker.
    InPlace,
    /// block_on() in spawn_blocking() of a multi-thread runtime.
    Blocking,
    /// block_on() of a current-thread runtime.
    Current,
    /// A task of a current-thread runtime.
    Task,
    /// A task of a LocalSet.
    Local,
}

use Kind::*;

const KINDS: [Kind; 7] = [Worker, Foreign, InPlace, Blocking, Current, Task, Local];

/// What the first runtime does while the second one waits.
#[derive(Clone, Copy, Debug)]
enum First {
    Idles,
    /// Its only worker waits for the second runtime.
    Blocks,
    IsShutDown,
}

type Timers = fn(Duration) -> BoxFuture<'static, ()>;
type Timeouts = fn(Duration) -> BoxFuture<'static, bool>;

fn tokios_sleep(duration: Duration) -> BoxFuture<'static, ()> {
    async move { tokio::time::sleep(duration).await }.boxed()
}

fn tokios_timeout(duration: Duration) -> BoxFuture<'static, bool> {
    async move { tokio::time::timeout(duration, pending::<()>()).await.is_err() }.boxed()
}

fn wheels_sleep(duration: Duration) -> BoxFuture<'static, ()> {
    wheel_tokio::sleep(duration).boxed()
}

fn wheels_timeout(duration: Duration) -> BoxFuture<'static, bool> {
    async move { wheel_tokio::timeout(duration, pending::<()>()).await.is_err() }.boxed()
}

fn build(kind: Kind) -> Runtime {
    let mut builder = match kind {
        Current | Task | Local => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };

    builder.worker_threads(1).enable_all().build().unwrap()
}

/// Runs a future on a runtime, and then a function in the thread that has polled it.
fn run(
    kind: Kind,
    runtime: Runtime,
    future: BoxFuture<'static, ()>,
    then: Box<dyn FnOnce(Runtime) + Send>,
) {
    let handle = runtime.handle().clone();
    let (done, wait) = channel();

    match kind {
        Worker => {
            handle.spawn(async move {
                future.await;
                block_in_place(|| then(runtime));
                done.send(()).unwrap();
            });
        }
        InPlace => {
            handle.spawn(async move {
                block_in_place(|| {
                    runtime.block_on(future);
                    then(runtime);
                });
                done.send(()).unwrap();
            });
        }
        Blocking => {
            handle.spawn_blocking(move || {
                runtime.block_on(future);
                then(runtime);
                done.send(()).unwrap();
            });
        }
        Foreign | Current => {
            runtime.block_on(future);
            then(runtime);
            done.send(()).unwrap();
        }
        Task => {
            runtime.block_on(async { tokio::spawn(future).await.unwrap() });
            then(runtime);
            done.send(()).unwrap();
        }
        Local => {
            LocalSet::new().block_on(&runtime, async {
                tokio::task::spawn_local(future).await.unwrap();
            });
            then(runtime);
            done.send(()).unwrap();
        }
    }
    wait.recv().unwrap();
}

/// Occupies the worker of a multi-thread runtime until the sender is dropped.
fn block(runtime: &Runtime) -> Sender<()> {
    let (release, wait) = channel::<()>();
    let (started, blocked) = channel();

    runtime.spawn(async move {
        started.send(()).unwrap();
        let _ = wait.recv();
    });
    if runtime.handle().runtime_flavor() != tokio::runtime::RuntimeFlavor::CurrentThread {
        blocked.recv().unwrap();
    }
    release
}

/// Runs `second` in the thread that has used the first runtime, which is in the state `state`.
fn in_used_thread(kind: Kind, state: First, sleep: Timers, second: Box<dyn FnOnce() + Send>) {
    let then = move |first: Runtime| match state {
        First::Idles => {
            second();
            first.shutdown_background();
        }
        First::Blocks => {
            let release = block(&first);
            second();
            drop(release);
            first.shutdown_background();
        }
        First::IsShutDown => {
            first.shutdown_background();
            second();
        }
    };

    run(kind, build(kind), sleep(SHORT), Box::new(then));
}

/// Fails if the function hangs.
fn answers(what: &str, function: impl FnOnce() + Send + 'static) {
    let (done, wait) = channel();

    thread::spawn(move || {
        function();
        done.send(()).unwrap();
    });
    assert!(wait.recv_timeout(LIMIT).is_ok(), "no answer: {}", what);
}

fn each_pair(sleep: Timers, timeout: Timeouts) {
    for state in [First::Idles, First::Blocks, First::IsShutDown] {
        for first in KINDS {
            for second in KINDS {
                let body = move || {
                    let future = async move { assert!(timeout(SHORT).await) }.boxed();
                    let end = |runtime: Runtime| runtime.shutdown_background();
                    run(second, build(second), future, Box::new(end));
                };
                answers(&format!("{:?} {:?}, then {:?}", first, state, second), move || {
                    in_used_thread(first, state, sleep, Box::new(body))
                });
            }
        }
    }
}

#[test]
fn tokios_timer_expires_on_each_pair_of_runtimes() {
    each_pair(tokios_sleep, tokios_timeout);
}

#[test]
fn each_pair_of_runtimes() {
    each_pair(wheels_sleep, wheels_timeout);
}

/// A timer that one runtime has polled expires in another one, and without a runtime. tokio's
/// belongs to the first one.
#[test]
fn a_timer_moves_to_another_runtime() {
    for state in [First::Idles, First::Blocks, First::IsShutDown] {
        for kind in KINDS {
            let body = || {
                let moved = executor::block_on(async {
                    let mut sleep = wheel_tokio::sleep(SHORT * 2);
                    let mut cx = Context::from_waker(noop_waker_ref());
                    let _ = Pin::new(&mut sleep).poll(&mut cx);
                    sleep
                });
                thread::spawn(move || executor::block_on(moved)).join().unwrap();
            };
            answers(&format!("{:?} {:?}", kind, state), move || {
                in_used_thread(kind, state, wheels_sleep, Box::new(body))
            });
        }
    }
}
