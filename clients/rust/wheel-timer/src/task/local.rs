// SPDX-License-Identifier: MIT
//! State per thread: a bounded cache of free slots.

use std::cell::RefCell;

use super::slot::Slot;
use super::wheel::{self, Wheel};

/// The limit of the cache. Half of it is exchanged with the pool at a time.
const CACHE: usize = 128;

struct Local {
    wheel: Option<&'static Wheel>,
    free: Vec<&'static Slot>,
}

thread_local! {
    static LOCAL: RefCell<Local> = const { RefCell::new(Local { wheel: None, free: Vec::new() }) };
}

/// Takes a free slot. None: there is no wheel, the wheel is full, or this thread exits.
#[inline]
pub(crate) fn take() -> Option<(&'static Wheel, &'static Slot)> {
    LOCAL.try_with(|local| local.borrow_mut().take()).ok()?
}

/// Returns a free slot, to the cache of this thread if it has one.
#[inline]
pub(crate) fn give(wheel: &'static Wheel, slot: &'static Slot) {
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

/// Forgets the parent's wheel and slots, in the only thread of a child of fork().
pub(crate) fn forget_parent() {
    let _ = LOCAL.try_with(|local| {
        let mut local = local.borrow_mut();
        local.free.clear();
        local.wheel = None;
    });
}

/// The wheel of this process, or None if none is available.
pub(crate) fn wheel() -> Option<&'static Wheel> {
    LOCAL
        .try_with(|local| local.borrow_mut().wheel())
        .ok()
        .flatten()
}
