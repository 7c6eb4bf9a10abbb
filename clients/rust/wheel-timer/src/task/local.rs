// SPDX-License-Identifier: MIT
//! State per thread: a bounded cache of free slots.

use std::cell::RefCell;
use std::mem;
use std::task::{Context, Waker};

use tokio::time::Instant;

use crate::slot::Slot;
use crate::wheel::{self, Wheel};

/// The limit of the cache. Half of it is exchanged with the pool at a time.
const CACHE: usize = 128;

struct Local {
    wheel: Option<&'static Wheel>,
    free: Vec<&'static Slot>,
}

thread_local! {
    static LOCAL: RefCell<Local> = const { RefCell::new(Local { wheel: None, free: Vec::new() }) };
}

/// An armed timer, with its slot.
pub(crate) struct Timer {
    wheel: &'static Wheel,
    slot: &'static Slot,
}

impl Timer {
    /// Arms a timer that wakes the context's task. None: use tokio's timer.
    pub fn arm(deadline: Instant, cx: &Context<'_>) -> Option<Timer> {
        let waker = cx.waker().clone();
        // A thread that exits has no cache.
        let (wheel, slot) = LOCAL.try_with(|local| local.borrow_mut().take()).ok()??;

        // SAFETY: the slot was free, so its timer is parked and it belongs to the caller.
        unsafe { slot.prepare(waker) };
        if wheel.arm(slot, deadline) {
            return Some(Timer { wheel, slot });
        }
        // SAFETY: as above: a timer that is not armed is parked.
        drop(unsafe { slot.take_back() });
        give(wheel, slot);
        None
    }

    /// Returns false if the timer has expired, or if it belongs to the parent of a fork().
    pub fn refresh(&self, waker: &Waker) -> bool {
        self.wheel.is_ours() && self.slot.refresh(waker)
    }

    /// Moves the timer. Returns false if it has expired.
    pub fn move_to(&self, deadline: Instant) -> bool {
        self.wheel.is_ours() && self.wheel.move_to(self.slot, deadline)
    }

    /// Ends the timer. Returns the waker if the driver has not taken it.
    pub fn end(self) -> Option<Waker> {
        let waker = self.release();

        mem::forget(self);
        waker
    }

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
        give(self.wheel, self.slot);
        waker
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.release();
    }
}

/// Returns a free slot, to the cache of this thread if it has one.
fn give(wheel: &'static Wheel, slot: &'static Slot) {
    let cached = LOCAL.try_with(|local| local.borrow_mut().give(slot));

    if !cached.unwrap_or(false) {
        wheel.release(std::iter::once(slot));
    }
}

impl Local {
    fn wheel(&mut self) -> Option<&'static Wheel> {
        if self.wheel.is_none() {
            self.wheel = wheel::of_process();
        }
        self.wheel
    }

    fn take(&mut self) -> Option<(&'static Wheel, &'static Slot)> {
        let wheel = self.wheel()?;

        if self.free.is_empty() {
            wheel.take(&mut self.free, CACHE / 2);
        }
        self.free.pop().map(|slot| (wheel, slot))
    }

    /// Returns false if this thread has armed no timer, such as the driver.
    fn give(&mut self, slot: &'static Slot) -> bool {
        let wheel = match self.wheel {
            Some(wheel) => wheel,
            None => return false,
        };

        self.free.push(slot);
        if self.free.len() > CACHE {
            wheel.release(self.free.drain(CACHE / 2..));
        }
        true
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if let Some(wheel) = self.wheel {
            wheel.release(self.free.drain(..));
        }
    }
}

/// Leaves the parent's slots alone, in the one thread that a child of fork() has.
pub(crate) fn forget_parent() {
    let _ = LOCAL.try_with(|local| {
        let mut local = local.borrow_mut();
        local.free.clear();
        local.wheel = None;
    });
}

/// The wheel of this process. None: all timers use tokio's timer.
pub(crate) fn wheel() -> Option<&'static Wheel> {
    LOCAL.try_with(|local| local.borrow_mut().wheel()).ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    /// A wheel with one chunk: timers that do not fit use tokio's timer, and all expire.
    #[tokio::test]
    async fn full_wheel_falls_back_to_tokio() {
        super::wheel().expect("a wheel").limit(64);
        let before = crate::Instant::now();
        let after = Duration::from_millis(20);
        let sleeps: Vec<_> = (0..200).map(|_| Box::pin(crate::sleep(after))).collect();

        futures::future::join_all(sleeps).await;
        assert!(before.elapsed() >= after);
    }
}
