// SPDX-License-Identifier: MIT
//! tokio's timeouts without a lock.
//!
//! The functions and types replace those of `tokio::time`. A program changes one line:
//!
//! ```
//! use wheel_tokio::{self as time, timeout, Duration};
//!
//! # #[tokio::main]
//! # async fn main() {
//! let reply = timeout(Duration::from_secs(1), async { "done" }).await;
//! assert_eq!(reply, Ok("done"));
//! time::sleep(Duration::from_millis(1)).await;
//! # }
//! ```
//!
//! tokio locks a mutex of its timer driver for each timeout. Here a timeout is a timer with a word of
//! libwheel: arming and cancelling it is an atomic exchange each. Each thread caches up to 128 free
//! slots. A process has one wheel with up to 2^24 timers, which all runtimes share. A thread, the
//! driver, waits for the wheel and wakes the futures whose timers have expired.
//!
//! The futures use tokio's own timer if the wheel cannot be opened, is full, or if the clock is
//! paused. [`backend`] returns the one in use.
//!
//! # Differences from tokio
//!
//! - A future belongs to no runtime: it can be created, polled and moved anywhere, also outside of a
//!   runtime, and expires even if the runtime that polled it is blocked or was dropped. Only
//!   tokio's own timer needs a runtime, with `enable_time()`.
//! - [`error::Elapsed`] is a type of this crate. [`Sleep`] is `Unpin`.
//! - A waker runs in the driver. One that blocks delays the timers of all runtimes.
//! - [`timeout`] takes a `Future`. Newer versions of tokio also take an `IntoFuture`.
//! - In release builds, a paused clock is detected only with the feature `test-util`.
//! - A future that is leaked while it waits, for example by `mem::forget`, keeps its slot.
//!
//! A child of fork() must build its own runtime, as with tokio. It gets a new wheel and driver.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod error;
mod interval;
mod sleep;
mod timeout;

pub use interval::{interval, interval_at, Interval};
pub use sleep::{sleep, sleep_until, Sleep};
pub use timeout::{timeout, timeout_at, Timeout};

use wheel_timer::task;

pub use tokio::time::{Duration, Instant, MissedTickBehavior};
#[cfg(feature = "test-util")]
pub use tokio::time::{advance, pause, resume};

/// The implementation of the timers of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// `/dev/wheel`.
    Kernel,
    /// libwheel's wheel in user space, on a timerfd.
    User,
    /// tokio's timer, because no wheel is available.
    Tokio,
}

/// Returns the implementation of the timers of this process.
///
/// # Examples
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// if wheel_tokio::backend() == wheel_tokio::Backend::Tokio {
///     eprintln!("no wheel is available");
/// }
/// # }
/// ```
pub fn backend() -> Backend {
    match task::backend() {
        Some(task::Backend::Kernel) => Backend::Kernel,
        Some(task::Backend::User) => Backend::User,
        None => Backend::Tokio,
    }
}
