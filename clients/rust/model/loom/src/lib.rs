// SPDX-License-Identifier: MIT
//! slot.rs under loom: all interleavings of its atomic accesses, with the reorderings that their
//! memory orders permit. model/run copies slot.rs here, with the types of this file.

#![cfg(test)]
#![allow(dead_code)]

mod slot;

mod cell {
    /// An access is checked when the pointer is taken.
    pub struct UnsafeCell<T>(loom::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub fn new(value: T) -> Self {
            UnsafeCell(loom::cell::UnsafeCell::new(value))
        }

        pub fn get(&self) -> *mut T {
            self.0.with_mut(|pointer| pointer)
        }
    }
}

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::sync::atomic::{AtomicU32, Ordering::AcqRel};
use loom::thread;

use slot::Slot;

const PARKED: u32 = 0;
const ARMED: u32 = 1;
const IDLE: u32 = 2;

struct Task(AtomicUsize);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn task() -> Arc<Task> {
    Arc::new(Task(AtomicUsize::new(0)))
}

/// A slot, the word of its timer, and the number of times that the slot was freed.
struct Timer {
    slot: Slot,
    word: AtomicU32,
    freed: AtomicUsize,
}

impl Timer {
    fn new() -> Arc<Timer> {
        Arc::new(Timer { slot: Slot::new(0), word: AtomicU32::new(PARKED), freed: AtomicUsize::new(0) })
    }

    fn exchange(&self, from: u32, to: u32) -> bool {
        self.word.compare_exchange(from, to, AcqRel, loom::sync::atomic::Ordering::Acquire).is_ok()
    }

    fn arm(&self, waker: Waker) {
        // SAFETY: the word is parked, and the caller is the owner.
        unsafe { self.slot.prepare(waker) };
        assert!(self.exchange(PARKED, ARMED));
    }

    /// The driver, if the timer expires before it is parked. Returns true if it has expired.
    fn expire(&self) -> bool {
        if !self.exchange(ARMED, IDLE) {
            return false;
        }
        let fire = self.slot.fire();
        if fire.abandoned {
            self.free();
        }
        fire.waker.map(Waker::wake);
        true
    }

    /// Timer::release(). Returns true if the owner has freed the slot.
    fn release(&self) -> bool {
        if self.exchange(ARMED, PARKED) {
            // SAFETY: the word is parked, and the caller is the owner.
            drop(unsafe { self.slot.take_back() });
            return true;
        }
        let left = self.slot.leave();
        if left.mine {
            self.free();
        }
        left.mine
    }

    /// The waker of a free slot was taken, and its word can be armed.
    fn free(&self) {
        // SAFETY: the caller frees the slot, so no other thread accesses it.
        assert!(unsafe { self.slot.take_back() }.is_none());
        assert!(self.exchange(IDLE, PARKED));
        self.freed.fetch_add(1, SeqCst);
    }
}

/// A task that polls while its timer expires is woken, or the poll finds the timer expired.
#[test]
fn a_waiting_task_is_woken() {
    loom::model(|| {
        let (timer, first, last) = (Timer::new(), task(), task());
        timer.arm(first.into());
        let driven = timer.clone();
        let driver = thread::spawn(move || driven.expire());
        let waits = timer.slot.refresh(&last.clone().into());
        if driver.join().unwrap() && waits {
            assert_eq!(last.0.load(SeqCst), 1);
        }
        timer.release();
        assert_eq!(Arc::strong_count(&last), 1);
    });
}

/// The same, if the polls have the same waker, of which the slot keeps one.
#[test]
fn a_task_that_waits_again_is_woken() {
    loom::model(|| {
        let (timer, task) = (Timer::new(), task());
        timer.arm(task.clone().into());
        let driven = timer.clone();
        let driver = thread::spawn(move || driven.expire());
        let waits = timer.slot.refresh(&task.clone().into());
        if driver.join().unwrap() && waits {
            assert_eq!(task.0.load(SeqCst), 1);
        }
        timer.release();
        assert_eq!(Arc::strong_count(&task), 1);
    });
}

/// A drop frees the slot, or leaves it to the driver, whether or not a poll came before it.
#[test]
fn a_slot_is_freed_once() {
    for polls in [false, true] {
        loom::model(move || {
            let (timer, first, last) = (Timer::new(), task(), task());
            timer.arm(first.clone().into());
            let driven = timer.clone();
            let driver = thread::spawn(move || driven.expire());
            if polls {
                timer.slot.refresh(&last.clone().into());
            }
            timer.release();
            let expired = driver.join().unwrap();
            assert_eq!(timer.freed.load(SeqCst), expired as usize);
            assert_eq!((Arc::strong_count(&first), Arc::strong_count(&last)), (1, 1));
        });
    }
}

/// The owner uses a slot again that it has freed, while the driver takes events of both uses.
#[test]
fn a_slot_is_used_again() {
    loom::model(|| {
        let (timer, task) = (Timer::new(), task());
        let driven = timer.clone();
        timer.arm(task.clone().into());
        let driver = thread::spawn(move || driven.expire() as usize + driven.expire() as usize);
        if timer.release() {
            timer.arm(task.clone().into());
            timer.release();
        }
        let expired = driver.join().unwrap();
        assert_eq!(timer.freed.load(SeqCst), expired);
        assert_eq!(Arc::strong_count(&task), 1);
    });
}
