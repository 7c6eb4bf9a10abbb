// SPDX-License-Identifier: MIT
#![doc = include_str!("../README.md")]
//!
//! # Guarantees
//!
//! - A timer is never early: [`Wheel::poll`] passes it to the callback at the first tick of 1 ms at or
//!   after its deadline. Timers of the same tick expire in the order in which they were inserted or moved.
//! - A [`Key`] names one timer, and no later one. [`Wheel::cancel`] decides: if it returns a value,
//!   the callback does not get it, and vice versa.
//! - A callback cannot insert. A loop that inserts the timers that it has collected polls them in its next
//!   iteration, so a timer that is due at once does not starve it.
//! - A wheel belongs to the process that has created it. A child of fork() creates another one: there,
//!   inserting fails, and nothing expires.
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("wheel-timer is for 64-bit Linux");

pub mod task;

use std::convert::TryFrom;
use std::ffi::CStr;
use std::fmt;
use std::io;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use libwheel_sys as sys;

const BATCH: usize = 64;
const TICK: Duration = Duration::from_millis(1);

/// Names a timer that was inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u64);

/// Timers with a value each, for one thread at a time.
pub struct Wheel<T> {
    raw: *mut sys::libwheel,
    /// The value of each slot, with the id of its timer.
    values: Vec<Option<(u64, T)>>,
    count: usize,
    /// The time 0 of the wheel's clock, whose unit is a nanosecond.
    start: Instant,
    now: u64,
}

// SAFETY: libwheel's functions may be called from any thread, and a Wheel has no other shared state.
unsafe impl<T: Send> Send for Wheel<T> {}

impl<T> Wheel<T> {
    /// Creates a wheel with up to 2^24 timers.
    pub fn new() -> io::Result<Wheel<T>> {
        let options = sys::libwheel_options {
            size: std::mem::size_of::<sys::libwheel_options>() as u32,
            backend: sys::LIBWHEEL_USER,
            clock: sys::WHEEL_CLOCK_VIRTUAL,
            timers: 1 << sys::WHEEL_SLOT_BITS,
            mode: sys::LIBWHEEL_NO_FD,
            tick_ns: TICK.as_nanos() as u64,
            ..Default::default()
        };
        let mut raw = null_mut();

        // SAFETY: both pointers are valid for the call.
        check(unsafe { sys::libwheel_open(&mut raw, &options) })?;
        Ok(Wheel { raw, values: Vec::new(), count: 0, start: Instant::now(), now: 0 })
    }

    /// The number of timers.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if there is no timer.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Inserts a timer. Fails if the wheel is full, or memory is short.
    pub fn insert(&mut self, deadline: Instant, value: T) -> io::Result<Key> {
        let (when, mut id) = (self.ns(deadline), 0);

        // SAFETY: the wheel is open, and `id` is valid for the call.
        check(unsafe { sys::libwheel_slot_get(self.raw, &mut id) })?;
        // SAFETY: the wheel is open.
        let armed = check(unsafe { sys::libwheel_arm(self.raw, id, when, id) });
        if let Err(error) = armed {
            // SAFETY: the slot was allocated above, and has no timer.
            unsafe { sys::libwheel_slot_put(self.raw, id) };
            return Err(error);
        }
        let slot = slot_of(id);
        if slot >= self.values.len() {
            self.values.resize_with(slot + 1, || None);
        }
        self.values[slot] = Some((id, value));
        self.count += 1;
        Ok(Key(id))
    }

    /// Moves a timer. Returns false if it no longer exists.
    pub fn reset(&mut self, key: Key, deadline: Instant) -> bool {
        let when = self.ns(deadline);

        // SAFETY: the wheel is open. It knows the generations of all ids.
        self.get(key).is_some() && unsafe { sys::libwheel_rearm(self.raw, key.0, when) } == 0
    }

    /// Removes a timer. None: it no longer exists.
    pub fn cancel(&mut self, key: Key) -> Option<T> {
        self.get(key)?;
        // SAFETY: the wheel is open, and its clock has not passed the timer, or poll() would have
        // taken it.
        unsafe { sys::libwheel_cancel(self.raw, key.0) };
        self.take(key.0)
    }

    /// The value of a timer.
    pub fn get(&self, key: Key) -> Option<&T> {
        match self.values.get(slot_of(key.0))? {
            Some((id, value)) if *id == key.0 => Some(value),
            _ => None,
        }
    }

    /// The time at which to call [`Wheel::poll`] next, or None if there is no timer. It is not later
    /// than the first expiry, and may be earlier.
    pub fn next(&self) -> Option<Instant> {
        let mut when = 0;
        // SAFETY: the wheel is open, and `when` is valid for the call.
        let err = unsafe { sys::libwheel_next(self.raw, &mut when) };

        if err != 0 || when == u64::MAX {
            return None;
        }
        self.start.checked_add(Duration::from_nanos(when))
    }

    /// Removes the timers that are due at `now`, and passes them to a function.
    pub fn poll(&mut self, now: Instant, mut expired: impl FnMut(Key, T)) {
        let mut events = [sys::wheel_event::default(); BATCH];

        self.now = self.now.max(nanoseconds(self.start, now).min(sys::WHEEL_MAX_TIME));
        // SAFETY: the wheel is open.
        unsafe { sys::libwheel_advance(self.raw, self.now, null_mut()) };
        loop {
            // SAFETY: the wheel is open, and the array has as many elements as specified.
            let count = unsafe {
                sys::libwheel_expirations(self.raw, events.as_mut_ptr(), BATCH as u32)
            };
            for event in &events[..count.max(0) as usize] {
                if let Some(value) = self.take(event.cookie) {
                    expired(Key(event.cookie), value);
                }
            }
            if count < BATCH as i32 {
                return;
            }
        }
    }

    /// Frees a slot whose timer has ended.
    fn take(&mut self, id: u64) -> Option<T> {
        let (_, value) = self.values.get_mut(slot_of(id))?.take()?;

        self.count -= 1;
        // SAFETY: the wheel is open, and the timer has no other event.
        unsafe { sys::libwheel_slot_put(self.raw, id) };
        Some(value)
    }

    /// Converts a deadline to the wheel's clock. A timer that is due at once expires in the next poll.
    fn ns(&self, deadline: Instant) -> u64 {
        nanoseconds(self.start, deadline).clamp(1, sys::WHEEL_MAX_TIME)
    }
}

impl<T> Drop for Wheel<T> {
    fn drop(&mut self) {
        // SAFETY: the wheel is open, and is not used afterwards.
        unsafe { sys::libwheel_close(self.raw) };
    }
}

impl<T> fmt::Debug for Wheel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wheel").field("len", &self.count).finish_non_exhaustive()
    }
}

/// The time from `start` to `end` in nanoseconds, within the range of the result.
#[inline]
fn nanoseconds(start: Instant, end: Instant) -> u64 {
    u64::try_from(end.saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX)
}

fn slot_of(id: u64) -> usize {
    (id & ((1 << sys::WHEEL_SLOT_BITS) - 1)) as usize
}

/// The message of an error is libwheel's.
fn check(err: i32) -> io::Result<()> {
    if err == 0 {
        return Ok(());
    }
    // SAFETY: the function returns a constant string.
    let text = unsafe { CStr::from_ptr(sys::libwheel_strerror(err)) };
    let kind = io::Error::from_raw_os_error(-err).kind();

    Err(io::Error::new(kind, text.to_string_lossy()))
}
