// SPDX-License-Identifier: MIT
//! Timers that wake tasks, for the futures of any runtime.
//!
//! A process has one wheel with up to 2^24 timers, for all threads and runtimes. Arming, moving or
//! ending a timer is one compare-and-swap, without a lock. A thread, the driver, waits for the wheel
//! and wakes the tasks whose timers have expired. The wheel is on `/dev/wheel` if it is available.
//!
//! ```
//! use std::future::Future;
//! use std::pin::Pin;
//! use std::task::{Context, Poll};
//! use std::time::Instant;
//! use wheel_timer::task::Timer;
//!
//! struct Sleep {
//!     deadline: Instant,
//!     timer: Option<Timer>,
//! }
//!
//! impl Future for Sleep {
//!     type Output = ();
//!
//!     fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
//!         if Instant::now() >= self.deadline {
//!             return Poll::Ready(());
//!         }
//!         let armed = self.timer.as_mut().map_or(false, |timer| timer.set_waker(cx.waker()));
//!         if !armed {
//!             self.timer = Some(Timer::arm(self.deadline, cx.waker()).expect("a wheel"));
//!         }
//!         Poll::Pending
//!     }
//! }
//! ```
//!
//! A waker runs in the driver. One that blocks delays the timers of all tasks. A timer that is leaked,
//! for example by `mem::forget`, keeps its slot. A child of fork() gets another wheel, and the timers of
//! its parent do not expire there.

mod driver;
mod fork;
mod local;
mod slot;
mod wheel;

use std::mem;
use std::task::Waker;
use std::time::Instant;

use slot::Slot;
use wheel::Wheel;

/// The implementation of the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// `/dev/wheel`.
    Kernel,
    /// libwheel's wheel in user space, on a timerfd.
    User,
}

/// Returns the implementation of the wheel of this process, or None if no wheel is available.
pub fn backend() -> Option<Backend> {
    local::wheel().map(Wheel::backend)
}

/// A timer that wakes a task. It ends when it is dropped.
pub struct Timer {
    wheel: &'static Wheel,
    slot: &'static Slot,
}

impl Timer {
    /// Arms a timer, which wakes a task once, at `deadline` or up to 1 ms later. None: no wheel is
    /// available, or it is full.
    #[inline]
    pub fn arm(deadline: Instant, waker: &Waker) -> Option<Timer> {
        // User code. It may panic.
        let waker = waker.clone();
        let (wheel, slot) = local::take()?;

        // SAFETY: the slot was free, so its timer is parked and it belongs to the caller.
        unsafe { slot.prepare(waker) };
        if wheel.arm(slot, deadline) {
            return Some(Timer { wheel, slot });
        }
        // SAFETY: as above: a timer that is not armed is parked.
        drop(unsafe { slot.take_back() });
        local::give(wheel, slot);
        None
    }

    /// Sets the task to wake. Returns false if the timer has expired, or if it belongs to the parent of a
    /// fork(). Then the task is not woken.
    #[inline]
    pub fn set_waker(&mut self, waker: &Waker) -> bool {
        self.wheel.is_ours() && self.slot.refresh(waker)
    }

    /// Moves the timer to an earlier or later deadline. Returns false as [`Timer::set_waker`] does.
    #[inline]
    pub fn reset(&mut self, deadline: Instant) -> bool {
        self.wheel.is_ours() && self.wheel.move_to(self.slot, deadline)
    }

    /// Ends the timer. Returns the waker if it was not woken.
    pub fn end(self) -> Option<Waker> {
        let waker = self.release();

        mem::forget(self);
        waker
    }

    #[inline]
    fn release(&self) -> Option<Waker> {
        if !self.wheel.is_ours() {
            return None;
        }
        let waker = if self.wheel.park(self.slot) {
            // SAFETY: the slot belongs to this value, which ends. A parked timer has no event.
            unsafe { self.slot.take_back() }
        } else {
            let left = self.slot.leave();
            if !left.mine {
                return left.waker;
            }
            self.wheel.rest(self.slot);
            left.waker
        };
        local::give(self.wheel, self.slot);
        waker
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.release();
    }
}

/// The number of slots that are in use or in the cache of a running thread, for tests that detect a leak.
#[doc(hidden)]
pub fn slots_in_use() -> usize {
    wheel::slots_in_use()
}

/// Limits the number of slots, for tests of a full wheel.
#[doc(hidden)]
pub fn limit_slots(slots: usize) {
    local::wheel().expect("a wheel").limit(slots);
}
