// SPDX-License-Identifier: MIT
//! The wheel of the process, and its slots.
//!
//! All runtimes share the wheel. It is opened by the first timer, and is never closed. Its driver
//! is a thread, so that no timer depends on a runtime that is busy, blocked or shut down.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::sync::{Mutex, MutexGuard, Once};
use std::time::Instant;

use libwheel_sys as sys;

use super::driver;
use super::fork;
use super::slot::Slot;
use super::Backend;
use crate::nanoseconds;

/// Slots that are kept per submission: one doorbell word, and later up to this many.
const FIRST_CHUNK: usize = 64;
const LARGEST_CHUNK: usize = 512;

/// Slots that are spread over the same cache lines.
const GROUP: usize = 4096;

/// Sizes to try, because a user's limits may not permit the largest.
const SIZES: [u32; 3] = [1 << 24, 1 << 20, 1 << 16];

pub(crate) struct Wheel {
    raw: *mut sys::libwheel,
    /// Value of [`fork::count`] in the process that owns the wheel.
    forks: u32,
    /// The same moment on two clocks.
    start: Instant,
    start_ns: u64,
    pool: Mutex<Pool>,
}

/// The slots that no thread has in its cache.
struct Pool {
    free: Vec<&'static Slot>,
    /// The number of slots that exist, free or not, and its limit.
    slots: usize,
    size: usize,
}

// SAFETY: libwheel's functions may be called from any thread, and `raw` is constant.
unsafe impl Send for Wheel {}
// SAFETY: as above.
unsafe impl Sync for Wheel {}

/// The wheel of a process, which is null if none is available.
struct Process {
    once: Once,
    wheel: AtomicPtr<Wheel>,
}

/// A child of fork() starts with another one, because another thread may have been opening the
/// parent's wheel.
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(null_mut());

fn process() -> &'static Process {
    let mut process = PROCESS.load(Acquire);

    if process.is_null() {
        let wheel = AtomicPtr::new(null_mut());
        let new = Box::into_raw(Box::new(Process { once: Once::new(), wheel }));
        process = match PROCESS.compare_exchange(null_mut(), new, AcqRel, Acquire) {
            Ok(_) => new,
            Err(other) => {
                // SAFETY: it was allocated above, and is not shared.
                drop(unsafe { Box::from_raw(new) });
                other
            }
        };
    }
    // SAFETY: it is never freed.
    unsafe { &*process }
}

/// Returns the wheel of this process, or None if none is available.
pub(crate) fn of_process() -> Option<&'static Wheel> {
    let process = process();

    process.once.call_once(|| {
        fork::watch();
        if let Some(wheel) = Wheel::open() {
            process.wheel.store(wheel as *const Wheel as *mut Wheel, Release);
        }
    });
    // SAFETY: a wheel is never freed, and no reference to it is mutable.
    unsafe { process.wheel.load(Acquire).as_ref() }
}

pub(crate) fn forget_parent() {
    PROCESS.store(null_mut(), Release);
}

/// The number of slots that are not in the pool, including those in the caches of running threads.
pub(crate) fn slots_in_use() -> usize {
    of_process().map_or(0, |wheel| {
        let pool = wheel.pool();
        pool.slots - pool.free.len()
    })
}

impl Wheel {
    /// Opens a wheel and starts its driver.
    fn open() -> Option<&'static Wheel> {
        let (raw, size) = SIZES.iter().find_map(|&size| open(size))?;
        let start = Instant::now();
        // Read after `start`: a deadline is converted to the same moment or a later one.
        // SAFETY: `raw` is open.
        let start_ns = unsafe { sys::libwheel_now(raw) };
        let pool = Mutex::new(Pool { free: Vec::new(), slots: 0, size });
        let wheel =
            Box::leak(Box::new(Wheel { raw, forks: fork::count(), start, start_ns, pool }));

        if driver::start(wheel).is_ok() {
            return Some(wheel);
        }
        // SAFETY: no other thread has the wheel.
        unsafe { sys::libwheel_close(raw) };
        None
    }

    pub fn raw(&self) -> *mut sys::libwheel {
        self.raw
    }

    /// A child of fork() must not access the words of its parent's wheel.
    #[inline]
    pub fn is_ours(&self) -> bool {
        self.forks == fork::count()
    }

    /// Converts a deadline to the wheel's clock, without rounding down.
    #[inline]
    fn ns(&self, deadline: Instant) -> u64 {
        nanoseconds(self.start, deadline).saturating_add(self.start_ns).min(sys::WHEEL_MAX_TIME)
    }

    /// Arms the parked timer of a slot, which the caller owns.
    #[inline]
    pub fn arm(&self, slot: &Slot, deadline: Instant) -> bool {
        let (id, at) = (id_of(slot), self.ns(deadline));
        // SAFETY: the wheel is open.
        let err = unsafe { sys::libwheel_word_arm(self.raw, id, at) };

        self.notified(err, id, at)
    }

    /// Moves an armed timer, whose slot the caller owns. Returns false if it has expired.
    #[inline]
    pub fn move_to(&self, slot: &Slot, deadline: Instant) -> bool {
        let (id, at) = (id_of(slot), self.ns(deadline));
        // SAFETY: the wheel is open.
        let err = unsafe { sys::libwheel_word_push(self.raw, id, at) };

        self.notified(err, id, at)
    }

    /// Repeats a notification that a signal has interrupted.
    #[inline]
    fn notified(&self, mut err: i32, id: u64, at: u64) -> bool {
        while err == -sys::EINTR {
            // SAFETY: the wheel is open.
            err = unsafe { sys::libwheel_word_notify(self.raw, id, at) };
        }
        err == 0
    }

    /// Parks an armed timer, whose slot the caller owns. Returns false if it has expired.
    #[inline]
    pub fn park(&self, slot: &Slot) -> bool {
        // SAFETY: the wheel is open.
        unsafe { sys::libwheel_word_park(self.raw, id_of(slot)) == 0 }
    }

    /// Parks a timer whose event was taken.
    pub fn rest(&self, slot: &Slot) {
        // SAFETY: the wheel is open.
        unsafe { sys::libwheel_word_reset(self.raw, id_of(slot)) };
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Moves up to `count` free slots to `to`. Moves none if the wheel is full.
    pub fn take(&self, to: &mut Vec<&'static Slot>, count: usize) {
        let mut pool = self.pool();

        if pool.free.is_empty() {
            pool.grow(self.raw);
        }
        let from = pool.free.len().saturating_sub(count);
        to.extend(pool.free.drain(from..));
    }

    /// Returns free slots.
    pub fn release(&self, slots: impl Iterator<Item = &'static Slot>) {
        self.pool().free.extend(slots);
    }

    /// Limits the number of slots, for tests.
    pub fn limit(&self, slots: usize) {
        self.pool().size = slots;
    }

    pub fn backend(&self) -> Backend {
        // SAFETY: the wheel is open.
        match unsafe { sys::libwheel_backend(self.raw) } as u32 {
            sys::LIBWHEEL_KERNEL => Backend::Kernel,
            _ => Backend::User,
        }
    }
}

impl Pool {
    fn grow(&mut self, raw: *mut sys::libwheel) {
        let count = self.slots.clamp(FIRST_CHUNK, LARGEST_CHUNK).min(self.size.saturating_sub(self.slots));
        if count == 0 {
            return;
        }
        let numbers = (self.slots..self.slots + count).map(spread);
        let chunk: &'static [Slot] = Box::leak(numbers.map(Slot::new).collect());
        let kept = keep(raw, chunk);

        // A pool takes from its end: the first slot is used first.
        self.free.extend(chunk[..kept].iter().rev());
        self.slots += kept;
        if kept < count {
            self.size = self.slots;
        }
    }
}

/// The number of the slot that is used as the `nth`. The words of eight slots share a cache line, so
/// each group of [`GROUP`] slots uses one slot per cache line first.
fn spread(nth: usize) -> u32 {
    const LINE: usize = 8;
    let (group, at) = (nth / GROUP * GROUP, nth % GROUP);

    (group + at % (GROUP / LINE) * LINE + at / (GROUP / LINE)) as u32
}

#[inline]
fn id_of(slot: &Slot) -> u64 {
    sys::wheel_id(slot.nr(), 1)
}

fn open(timers: u32) -> Option<(*mut sys::libwheel, usize)> {
    let options = sys::libwheel_options {
        size: std::mem::size_of::<sys::libwheel_options>() as u32,
        flags: sys::WHEEL_SETUP_WORDS,
        timers,
        ..Default::default()
    };
    let mut raw = std::ptr::null_mut();
    // SAFETY: both pointers are valid for the call.
    let err = unsafe { sys::libwheel_open(&mut raw, &options) };

    (err == 0).then(|| (raw, timers as usize))
}

/// Keeps a timer per slot, whose cookie is the address of the slot. Returns the number kept.
fn keep(raw: *mut sys::libwheel, slots: &[Slot]) -> usize {
    let mut ops: Vec<sys::wheel_op> = slots
        .iter()
        .map(|slot| sys::wheel_op {
            op: sys::WHEEL_OP_ARM,
            flags: sys::WHEEL_OP_WORD,
            id: id_of(slot),
            cookie: slot as *const Slot as u64,
            res: -1,
            ..Default::default()
        })
        .collect();
    // SAFETY: `raw` is open, and `ops` has as many elements as specified.
    unsafe { sys::libwheel_submit(raw, ops.as_mut_ptr(), ops.len() as u32, std::ptr::null_mut()) };
    ops.iter().take_while(|op| op.res == 0).count()
}

#[cfg(test)]
mod tests {
    use super::{spread, GROUP};

    #[test]
    fn each_number_is_used_once() {
        let mut numbers: Vec<u32> = (0..2 * GROUP).map(spread).collect();

        assert!(numbers.windows(2).all(|pair| pair[0] / 8 != pair[1] / 8));
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..2 * GROUP as u32));
    }
}
