// SPDX-License-Identifier: MIT
//! The driver: a task that waits for the wheel's file descriptor and wakes the futures whose
//! timers have expired.

use std::io;
use std::os::unix::io::{AsRawFd, RawFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::NonNull;
use std::task::Waker;

use libwheel_sys as sys;
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;
use tokio::runtime::Handle;

use crate::runtime;
use crate::slot::Slot;
use crate::wheel::{SlotRef, Wheel};

const BATCH: usize = 256;

struct Fd(RawFd);

impl AsRawFd for Fd {
    fn as_raw_fd(&self) -> RawFd {
        self.0
    }
}

/// The fields are dropped in this order: the descriptor is closed last.
pub(crate) struct Driver {
    fd: AsyncFd<Fd>,
    end: End,
    /// Its address identifies the runtime.
    handle: Handle,
}

/// Ends the wheel, however its driver ends.
struct End(NonNull<Wheel>);

// SAFETY: a wheel may be accessed by any thread.
unsafe impl Send for End {}
// SAFETY: as above.
unsafe impl Sync for End {}

impl Driver {
    /// Registers the wheel's descriptor with the current runtime. None: its I/O is disabled.
    pub fn new(wheel: Box<Wheel>, handle: &Handle) -> Option<Driver> {
        // SAFETY: the wheel is open.
        let fd = Fd(unsafe { sys::libwheel_fd(wheel.raw()) });
        // tokio panics without I/O.
        let fd = catch_unwind(AssertUnwindSafe(|| AsyncFd::with_interest(fd, Interest::READABLE)));
        let fd = fd.ok()?.ok()?;
        let end = End(NonNull::from(Box::leak(wheel)));

        Some(Driver { fd, end, handle: handle.clone() })
    }

    pub fn wheel(&self) -> NonNull<Wheel> {
        self.end.0
    }

    /// Ends only with an error, or when the runtime shuts down.
    pub async fn run(self) {
        if self.serve().await.is_err() {
            runtime::refuse(&self.handle);
        }
    }

    async fn serve(&self) -> io::Result<()> {
        loop {
            let mut ready = self.fd.readable().await?;
            while self.end.serve_batch()? {
                tokio::task::yield_now().await;
            }
            ready.clear_ready();
        }
    }
}

impl End {
    fn wheel(&self) -> &Wheel {
        // SAFETY: the driver has a reference.
        unsafe { self.0.as_ref() }
    }

    /// Returns true if more events may be pending.
    fn serve_batch(&self) -> io::Result<bool> {
        let mut events = [sys::wheel_event::default(); BATCH];
        // SAFETY: the wheel is open, and the array has as many elements as specified.
        let count = unsafe {
            sys::libwheel_expirations(self.wheel().raw(), events.as_mut_ptr(), BATCH as u32)
        };

        if count < 0 {
            return Err(io::Error::from_raw_os_error(-count));
        }
        for event in &events[..count as usize] {
            self.wake(event.cookie);
        }
        Ok(count as usize == BATCH)
    }

    /// Wakes a future. The other futures are woken even if its waker panics.
    fn wake(&self, cookie: u64) {
        let waker = self.fire(cookie);

        let _ = catch_unwind(AssertUnwindSafe(|| waker.map(Waker::wake)));
    }

    fn fire(&self, cookie: u64) -> Option<Waker> {
        let slot = cookie as usize as *mut Slot;
        // SAFETY: the cookie of a timer is the address of its slot, which exists as long as the
        // wheel.
        let slot: SlotRef = unsafe { NonNull::new_unchecked(slot) };
        // SAFETY: as above.
        let fire = unsafe { slot.as_ref() }.fire();

        if fire.abandoned {
            // SAFETY: the owner has left the slot to the driver.
            unsafe {
                self.wheel().rest(slot.as_ref());
                Wheel::release(self.0, std::iter::once(slot), 0);
            }
        }
        fire.waker
    }

    /// Takes every armed timer, and wakes its future, which then uses another timer.
    fn wake_all(&self) {
        let raw = self.wheel().raw();
        let mut ops = [sys::wheel_op::default(); BATCH];
        let mut cursor = 0;

        loop {
            // SAFETY: the wheel is open, and the array has as many elements as specified.
            let count = unsafe {
                sys::libwheel_list(raw, 0, ops.as_mut_ptr(), BATCH as u32, &mut cursor)
            };
            if count <= 0 {
                return;
            }
            for op in &ops[..count as usize] {
                self.wake(op.cookie);
            }
        }
    }

    fn take_events(&self) {
        let raw = self.wheel().raw();
        let mut event = sys::wheel_event::default();

        // SAFETY: the wheel is open, and there is room for one event.
        while unsafe { sys::libwheel_expirations(raw, &mut event, 1) } == 1 {
            self.wake(event.cookie);
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if !self.wheel().is_ours() {
            return;
        }
        runtime::remove(self.0);
        self.wheel().end();
        // SAFETY: the wheel is open.
        unsafe { sys::libwheel_stop(self.wheel().raw(), std::ptr::null_mut()) };
        self.take_events();
        self.wake_all();
        // SAFETY: this is the driver's reference.
        unsafe { Wheel::release(self.0, std::iter::empty(), 1) };
    }
}
