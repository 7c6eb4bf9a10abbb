// SPDX-License-Identifier: MIT
//! The rows of the table: the work of each task in a loop.

use std::future::{pending, ready, Future};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq)]
pub enum Timer {
    None,
    Tokio,
    Wheel,
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

pub struct Row {
    pub name: &'static str,
    pub run: fn(Timer, usize) -> Task,
}

fn rows() -> [Row; 4] {
    [
        // timeout() of a future that is ready.
        Row { name: "ready", run: timeout_ready },
        // timeout() of a future that yields once.
        Row { name: "yield", run: timeout_yield },
        // A sleep that is polled, then dropped.
        Row { name: "sleep", run: sleep_churn },
        // A sleep that is reset, then polled.
        Row { name: "reset", run: sleep_reset },
    ]
}

pub fn find(name: &str) -> Option<Row> {
    rows().into_iter().find(|row| row.name == name)
}

/// Pending once.
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Polls a future once, and is ready when the task is polled again.
struct PollOnce<'a, F>(Pin<&'a mut F>, Yield);

impl<F: Future> Future for PollOnce<'_, F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let me = &mut *self;

        if Pin::new(&mut me.1).poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let _ = me.0.as_mut().poll(cx);
        Poll::Pending
    }
}

fn timeout_ready(timer: Timer, loops: usize) -> Task {
    Box::pin(async move {
        for _ in 0..loops {
            match timer {
                Timer::None => ready(()).await,
                Timer::Tokio => tokio::time::timeout(SECOND, ready(())).await.expect("in time"),
                Timer::Wheel => wheel_tokio::timeout(SECOND, ready(())).await.expect("in time"),
            }
        }
    })
}

fn timeout_yield(timer: Timer, loops: usize) -> Task {
    Box::pin(async move {
        for _ in 0..loops {
            match timer {
                Timer::None => Yield(false).await,
                Timer::Tokio => tokio::time::timeout(SECOND, Yield(false)).await.expect("in time"),
                Timer::Wheel => wheel_tokio::timeout(SECOND, Yield(false)).await.expect("in time"),
            }
        }
    })
}

fn sleep_churn(timer: Timer, loops: usize) -> Task {
    Box::pin(async move {
        for _ in 0..loops {
            match timer {
                Timer::None => {
                    let never = pending::<()>();
                    tokio::pin!(never);
                    PollOnce(never, Yield(false)).await
                }
                Timer::Tokio => {
                    let sleep = tokio::time::sleep(SECOND);
                    tokio::pin!(sleep);
                    PollOnce(sleep, Yield(false)).await
                }
                Timer::Wheel => {
                    let sleep = wheel_tokio::sleep(SECOND);
                    tokio::pin!(sleep);
                    PollOnce(sleep, Yield(false)).await
                }
            }
        }
    })
}

fn sleep_reset(timer: Timer, loops: usize) -> Task {
    Box::pin(async move {
        let never = pending::<()>();
        let tokios = tokio::time::sleep(SECOND);
        let wheels = wheel_tokio::sleep(SECOND);
        tokio::pin!(never, tokios, wheels);
        for _ in 0..loops {
            match timer {
                Timer::None => PollOnce(never.as_mut(), Yield(false)).await,
                Timer::Tokio => {
                    tokios.as_mut().reset(Instant::now() + SECOND);
                    PollOnce(tokios.as_mut(), Yield(false)).await
                }
                Timer::Wheel => {
                    wheels.as_mut().reset(Instant::now() + SECOND);
                    PollOnce(wheels.as_mut(), Yield(false)).await
                }
            }
        }
    })
}
