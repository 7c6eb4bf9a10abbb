// SPDX-License-Identifier: MIT
//! State per thread: the wheel in use, and a bounded cache of its free slots.

use std::cell::RefCell;
use std::mem;
use std::ptr::NonNull;
use std::task::{Context, Waker};

use tokio::time::Instant;

use crate::runtime;
use crate::slot::Slot;
use crate::wheel::{SlotRef, Wheel};

/// The limit of the cache. Half of it is exchanged with the pool at a time.
const CACHE: usize = 128;

struct Local {
    wheel: Option<NonNull<Wheel>>,
    free: Vec<SlotRef>,
}

thread_local! {
    static LOCAL: RefCell<Local> = const { RefCell::new(Local { wheel: None, free: Vec::new() }) };
}

/// An armed timer, with its slot.
pub(crate) struct Timer {
    wheel: NonNull<Wheel>,
    slot: SlotRef,
}

// SAFETY: the wheel may be accessed by any thread, and the slot belongs to this value.
unsafe impl Send for Timer {}
// SAFETY: the methods that take `&self` access Sync types.
unsafe impl Sync for Timer {}

impl Timer {
    /// Arms a timer that wakes the context's task. None: use tokio's timer.
    pub fn arm(deadline: Instant, cx: &Context<'_>) -> Option<Timer> {
        let waker = cx.waker().clone();
        let armed = LOCAL.try_with(|local| local.borrow_mut().arm(deadline, waker));

        // A thread that exits has no cache. A waker is dropped without the borrow.
        armed.ok()?.ok()
    }

    fn wheel(&self) -> &Wheel {
        // SAFETY: the slot is a reference to the wheel.
        unsafe { self.wheel.as_ref() }
    }

    fn slot(&self) -> &Slot {
        // SAFETY: the slot exists as long as the wheel.
        unsafe { self.slot.as_ref() }
    }

    /// Returns false if the timer has expired, or if it belongs to the parent of a fork().
    pub fn refresh(&self, waker: &Waker) -> bool {
        self.wheel().is_ours() && self.slot().refresh(waker)
    }

    /// Moves the timer. Returns false if it has expired.
    pub fn move_to(&self, deadline: Instant) -> bool {
        // SAFETY: the slot belongs to this value.
        self.wheel().is_ours() && unsafe { self.wheel().move_to(self.slot(), deadline) }
    }

    /// Ends the timer. Returns the waker if the driver has not taken it.
    pub fn end(self) -> Option<Waker> {
        let waker = self.release();

        mem::forget(self);
        waker
    }

    fn release(&self) -> Option<Waker> {
        if !self.wheel().is_ours() {
            return None;
        }
        // SAFETY: the slot belongs to this value, which ends. A parked timer has no event.
        let waker = unsafe {
            if self.wheel().park(self.slot()) {
                self.slot().take_back()
            } else {
                let left = self.slot().leave();
                if !left.mine {
                    return left.waker;
                }
                self.wheel().rest(self.slot());
                left.waker
            }
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

/// Returns a free slot, to the cache of this thread if it uses the same wheel.
fn give(wheel: NonNull<Wheel>, slot: SlotRef) {
    let cached = LOCAL.try_with(|local| local.borrow_mut().give(wheel, slot));

    if !cached.unwrap_or(false) {
        // SAFETY: the slot is the caller's reference.
        unsafe { Wheel::release(wheel, std::iter::once(slot), 0) };
    }
}

impl Local {
    fn arm(&mut self, deadline: Instant, waker: Waker) -> Result<Timer, Option<Waker>> {
        match self.take() {
            Some((wheel, slot)) => self.arm_slot(Timer { wheel, slot }, deadline, waker),
            None => Err(Some(waker)),
        }
    }

    fn arm_slot(
        &mut self,
        timer: Timer,
        deadline: Instant,
        waker: Waker,
    ) -> Result<Timer, Option<Waker>> {
        // SAFETY: the slot was free, so its timer is parked and it belongs to `timer`.
        let armed = unsafe {
            timer.slot().prepare(waker);
            timer.wheel().arm(timer.slot(), deadline)
        };

        match armed {
            Ok(()) => Ok(timer),
            Err(err) => Err(self.undo(timer, err)),
        }
    }

    /// The wheel was stopped in the meantime: the slot is not armed, or End lists it.
    #[cold]
    fn undo(&mut self, timer: Timer, err: i32) -> Option<Waker> {
        let (wheel, slot) = (timer.wheel, timer.slot);
        // SAFETY: the slot belongs to `timer`.
        let waker = unsafe {
            if err == -libwheel_sys::ENOENT || timer.wheel().park(timer.slot()) {
                timer.slot().take_back()
            } else {
                let left = timer.slot().leave();
                if !left.mine {
                    mem::forget(timer);
                    return left.waker;
                }
                left.waker
            }
        };

        mem::forget(timer);
        self.free.push(slot);
        debug_assert_eq!(self.wheel, Some(wheel));
        waker
    }

    fn take(&mut self) -> Option<(NonNull<Wheel>, SlotRef)> {
        let wheel = self.usable_wheel()?;

        if self.free.is_empty() {
            // SAFETY: the binding is a reference.
            unsafe { wheel.as_ref() }.take(&mut self.free, CACHE / 2);
        }
        self.free.pop().map(|slot| (wheel, slot))
    }

    fn usable_wheel(&mut self) -> Option<NonNull<Wheel>> {
        match self.wheel {
            // SAFETY: the binding is a reference.
            Some(wheel) if is_usable(unsafe { wheel.as_ref() }) => Some(wheel),
            _ => self.bind(),
        }
    }

    #[cold]
    fn bind(&mut self) -> Option<NonNull<Wheel>> {
        self.unbind();
        self.wheel = runtime::wheel_of_current();
        self.wheel
    }

    fn unbind(&mut self) {
        let free = mem::take(&mut self.free);

        if let Some(wheel) = self.wheel.take() {
            // SAFETY: the binding and the slots are references.
            unsafe { Wheel::release(wheel, free.into_iter(), 1) };
        }
    }

    /// Returns false if the thread uses another wheel.
    fn give(&mut self, wheel: NonNull<Wheel>, slot: SlotRef) -> bool {
        if self.wheel != Some(wheel) {
            return false;
        }
        self.free.push(slot);
        if self.free.len() > CACHE {
            // SAFETY: the binding remains, so the wheel does.
            unsafe { Wheel::release(wheel, self.free.drain(CACHE / 2..), 0) };
        }
        true
    }
}

fn is_usable(wheel: &Wheel) -> bool {
    wheel.is_usable() && wheel.runtime().serves_caller()
}

impl Drop for Local {
    fn drop(&mut self) {
        self.unbind();
    }
}

/// Leaves the parent's slots alone, in the one thread that a child of fork() has.
pub(crate) fn forget_parent() {
    let _ = LOCAL.try_with(|local| {
        let mut local = local.borrow_mut();
        mem::forget(mem::take(&mut local.free));
        local.wheel = None;
    });
}

/// Reads the wheel that the calling thread uses. None: it uses tokio's timer.
pub(crate) fn with_wheel<T>(read: impl FnOnce(&Wheel) -> T) -> Option<T> {
    let read = |local: &RefCell<Local>| {
        let wheel = local.borrow_mut().usable_wheel()?;
        // SAFETY: the binding is a reference, so the wheel remains.
        Some(read(unsafe { wheel.as_ref() }))
    };

    LOCAL.try_with(read).ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    /// A wheel with one chunk: timers that do not fit use tokio's timer, and all expire.
    #[tokio::test]
    async fn full_wheel_falls_back_to_tokio() {
        super::with_wheel(|wheel| wheel.limit(64)).expect("a wheel");
        let before = crate::Instant::now();
        let after = Duration::from_millis(20);
        let sleeps: Vec<_> = (0..200).map(|_| Box::pin(crate::sleep(after))).collect();

        futures::future::join_all(sleeps).await;
        assert!(before.elapsed() >= after);
    }
}
