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
//! slots. A runtime has one wheel with up to 2^24 timers. A task of the runtime, the driver, waits
//! for the wheel's file descriptor and wakes the futures whose timers have expired.
//!
//! The futures use tokio's own timer if the wheel cannot be opened, is full or was stopped, if the
//! runtime has no I/O driver, or if the clock is paused. [`backend`] returns the one in use.
//!
//! # Differences from tokio
//!
//! - A future binds to the runtime that polls it first, not to the one that creates it. It can
//!   be created outside a runtime.
//! - [`Sleep`] is `Unpin`.
//! - The runtime needs `enable_io()` in addition to `enable_time()`. Without it, the runtime uses
//!   tokio's timer. A panic of tokio is caught when this is detected, so a program that is built
//!   with `panic = "abort"` must enable I/O.
//! - [`timeout`] takes a `Future`. Newer versions of tokio also take an `IntoFuture`.
//! - In release builds, a paused clock is detected only with the feature `test-util`.
//! - A future that is leaked while it waits, for example by `mem::forget`, keeps its slot.
//!
//! A child of fork() must build its own runtime, as with tokio. It gets a new wheel.
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("wheel-tokio is for 64-bit Linux");

mod driver;
mod fork;
mod interval;
mod local;
mod runtime;
mod sleep;
mod slot;
mod timeout;
mod wheel;

use wheel::Wheel;

pub use interval::{interval, interval_at, Interval};
pub use sleep::{sleep, sleep_until, Sleep};
pub use timeout::{timeout, timeout_at, Timeout};

pub use tokio::time::error;
pub use tokio::time::{Duration, Instant, MissedTickBehavior};
#[cfg(feature = "test-util")]
pub use tokio::time::{advance, pause, resume};

/// The implementation of the timers of the current runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// `/dev/wheel`.
    Kernel,
    /// libwheel's wheel in user space, on a timerfd.
    User,
    /// tokio's timer, because no wheel is available.
    Tokio,
}

/// Returns the implementation of the timers of the current runtime.
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
    local::with_wheel(Wheel::backend).unwrap_or(Backend::Tokio)
}

/// The number of wheels that are not freed, for tests: a leaked slot keeps its wheel.
#[doc(hidden)]
pub fn wheels() -> usize {
    wheel::count()
}
