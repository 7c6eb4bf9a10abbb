// SPDX-License-Identifier: MIT
//! The driver: a thread that waits for the wheel and wakes the tasks whose timers have expired.
//!
//! A runtime may run on any thread, and may be busy, blocked or dropped while a task waits in
//! another one. The driver belongs to none of them.

use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use libwheel_sys as sys;

use super::slot::Slot;
use super::wheel::Wheel;

const BATCH: usize = 256;

/// Starts the driver, which runs until the process ends.
pub(crate) fn start(wheel: &'static Wheel) -> io::Result<()> {
    thread::Builder::new().name("wheel-timer".into()).spawn(move || serve(wheel)).map(|_| ())
}

fn serve(wheel: &'static Wheel) {
    let mut events = [sys::wheel_event::default(); BATCH];

    loop {
        // SAFETY: the wheel is open, and the array has as many elements as specified.
        let count = unsafe {
            sys::libwheel_wait(wheel.raw(), events.as_mut_ptr(), BATCH as u32, -1)
        };
        if count < 0 && count != -sys::EINTR {
            // Memory may be short for a moment.
            thread::sleep(Duration::from_millis(1));
        }
        for event in &events[..count.max(0) as usize] {
            wake(wheel, event.cookie);
        }
    }
}

/// Wakes a task. The other tasks are woken even if its waker panics.
fn wake(wheel: &Wheel, cookie: u64) {
    let waker = fire(wheel, cookie);

    let _ = catch_unwind(AssertUnwindSafe(|| waker.map(Waker::wake)));
}

fn fire(wheel: &Wheel, cookie: u64) -> Option<Waker> {
    // SAFETY: the cookie of a timer is the address of its slot, which is never freed.
    let slot: &'static Slot = unsafe { &*(cookie as usize as *const Slot) };
    let fire = slot.fire();

    if fire.abandoned {
        // The owner has left the slot to the driver.
        wheel.rest(slot);
        wheel.release(std::iter::once(slot));
    }
    fire.waker
}
