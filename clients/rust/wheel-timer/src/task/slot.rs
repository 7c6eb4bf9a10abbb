// SPDX-License-Identifier: MIT
//! A slot of the wheel: the waker of its timer, and the protocol of its two users.
//!
//! The owner is the [`Timer`](super::Timer) that holds the slot. The driver is the task that takes the events of
//! expired timers. A timer that the owner has parked has no event, and the owner has the slot to
//! itself. After an expiry, the state decides which of the two frees the slot:
//!
//! | from | to | by | meaning |
//! |---|---|---|---|
//! | `WAIT` | `EDIT` | owner | locks the waker to replace it |
//! | `EDIT` | `WAIT` | owner | unlocks the waker |
//! | `WAIT` | `WAKE` | driver | has an event, and locks the waker to take it |
//! | `WAKE`, `EDIT` | `FIRED` | driver | the slot is the owner's |
//! | `WAKE`, `EDIT` | `LEFT` | owner | the owner no longer exists: the driver frees the slot |
//!
//! A poll with the waker that is stored only reads the state. If it reads `WAIT`, the driver wakes the
//! stored waker later, which requests another poll.
//!
//! The model in clients/rust/model explores all interleavings.

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::task::Waker;

const WAIT: u32 = 0;
const EDIT: u32 = 1;
const WAKE: u32 = 2;
const FIRED: u32 = 3;
const LEFT: u32 = 4;

/// A cache line per slot: neighbours may be used by different threads.
#[repr(align(64))]
pub(crate) struct Slot {
    state: AtomicU32,
    nr: u32,
    waker: UnsafeCell<Option<Waker>>,
    /// Copy of the bits of `waker`, which may no longer exist. It is only compared.
    copy: UnsafeCell<Option<ManuallyDrop<Waker>>>,
}

// SAFETY: `waker` is accessed by one thread at a time: by the owner while no timer is armed,
// otherwise by the thread that has moved `state` from WAIT. `copy` is accessed by the owner.
unsafe impl Sync for Slot {}

/// Result of [`Slot::leave`].
pub(crate) struct Left {
    /// The caller frees the slot. Otherwise the driver frees it.
    pub mine: bool,
    /// The waker, if the driver has not taken it.
    pub waker: Option<Waker>,
}

/// Result of [`Slot::fire`].
pub(crate) struct Fire {
    /// The caller frees the slot, because the owner has left.
    pub abandoned: bool,
    pub waker: Option<Waker>,
}

impl Slot {
    pub fn new(nr: u32) -> Slot {
        let (waker, copy) = (UnsafeCell::new(None), UnsafeCell::new(None));

        Slot { state: AtomicU32::new(WAIT), nr, waker, copy }
    }

    #[inline]
    pub fn nr(&self) -> u32 {
        self.nr
    }

    /// Stores the waker before the timer is armed. Arming publishes it to the driver.
    ///
    /// # Safety
    ///
    /// The caller must own the slot, and its timer must be parked.
    #[inline]
    pub unsafe fn prepare(&self, waker: Waker) {
        // SAFETY: the driver does not access a slot without an event.
        unsafe { self.store(waker) };
        self.state.store(WAIT, Relaxed);
    }

    /// Stores a waker and its copy. Returns the waker that was stored.
    ///
    /// # Safety
    ///
    /// The caller must be the owner, and the waker must be the owner's.
    #[inline]
    unsafe fn store(&self, waker: Waker) -> Option<Waker> {
        // SAFETY: as above. A copy is never dropped, and will_wake() does not access the task.
        unsafe {
            *self.copy.get() = Some(ManuallyDrop::new(std::ptr::read(&waker)));
            (*self.waker.get()).replace(waker)
        }
    }

    /// Removes the waker of a timer that the caller has parked.
    ///
    /// # Safety
    ///
    /// The caller must own the slot, and its timer must be parked.
    #[inline]
    pub unsafe fn take_back(&self) -> Option<Waker> {
        // SAFETY: the driver does not access a slot without an event.
        unsafe { (*self.waker.get()).take() }
    }

    /// Replaces the waker by `waker` if both wake different tasks. Called by the owner.
    ///
    /// Returns false if the timer has expired.
    #[inline]
    pub fn refresh(&self, waker: &Waker) -> bool {
        // SAFETY: the copy is the owner's.
        let copy = unsafe { &*self.copy.get() };

        match copy {
            Some(same) if same.will_wake(waker) => self.state.load(Acquire) == WAIT,
            _ => self.replace(waker),
        }
    }

    /// User code clones and drops wakers, and may panic. The lock is not held meanwhile.
    fn replace(&self, waker: &Waker) -> bool {
        let new = waker.clone();

        if !self.lock_for_owner() {
            return false;
        }
        // SAFETY: the state is EDIT, so the waker is the owner's.
        let old = unsafe { self.store(new) };
        self.unlock(WAIT, old)
    }

    fn lock_for_owner(&self) -> bool {
        self.state.compare_exchange(WAIT, EDIT, Acquire, Acquire).is_ok()
    }

    /// Ends EDIT, then drops `old`. Returns false if the driver has set FIRED.
    fn unlock(&self, to: u32, old: Option<Waker>) -> bool {
        let done = self.state.compare_exchange(EDIT, to, AcqRel, Acquire).is_ok();
        drop(old);
        done
    }

    /// Gives up a slot whose timer could not be parked: it has expired, and its event may not
    /// have been taken.
    pub fn leave(&self) -> Left {
        if self.lock_for_owner() {
            // SAFETY: the state is EDIT, so the waker is the owner's.
            let waker = unsafe { (*self.waker.get()).take() };
            return Left { mine: !self.unlock(LEFT, None), waker };
        }
        // Only WAKE and FIRED are left, and the driver moves WAKE to FIRED.
        let mine = self.state.compare_exchange(WAKE, LEFT, AcqRel, Acquire).is_err();
        // A panic of a waker's clone() may have left one behind.
        let waker = if mine {
            // SAFETY: the state is FIRED: the driver is done with the slot.
            unsafe { (*self.waker.get()).take() }
        } else {
            None
        };
        Left { mine, waker }
    }

    /// Handles the event of the slot's timer. Called by the driver, once per event.
    pub fn fire(&self) -> Fire {
        match self.state.compare_exchange(WAIT, WAKE, Acquire, Acquire) {
            Ok(_) => self.fire_locked(),
            Err(LEFT) => Fire { abandoned: true, waker: None },
            Err(_) => self.fire_during_edit(),
        }
    }

    fn fire_locked(&self) -> Fire {
        // SAFETY: the state is WAKE, so the waker is the driver's.
        let waker = unsafe { (*self.waker.get()).take() };
        let abandoned = self.state.swap(FIRED, AcqRel) == LEFT;

        Fire { abandoned, waker }
    }

    /// The owner detects FIRED when it unlocks the waker, unless it has unlocked it already.
    fn fire_during_edit(&self) -> Fire {
        match self.state.compare_exchange(EDIT, FIRED, AcqRel, Acquire) {
            Ok(_) => Fire { abandoned: false, waker: None },
            Err(_) => self.fire(),
        }
    }
}
