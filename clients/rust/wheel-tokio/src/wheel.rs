// SPDX-License-Identifier: MIT
//! A wheel, its slots, and its lifetime.
//!
//! The driver, every bound thread and every slot outside the pool count as one reference. The
//! count is protected by the pool's lock. A wheel is freed when its runtime has shut down and
//! the last reference is released.

use std::convert::TryFrom;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard};

use libwheel_sys as sys;
use tokio::time::Instant;

use crate::fork;
use crate::runtime::Identity;
use crate::slot::Slot;
use crate::Backend;

/// Slots that are kept per submission: one doorbell word, and later up to this many.
const FIRST_CHUNK: usize = 64;
const LARGEST_CHUNK: usize = 512;

/// Slots that are spread over the same cache lines.
const GROUP: usize = 4096;

/// Sizes to try, because a user's limits may not permit the largest.
const SIZES: [u32; 3] = [1 << 24, 1 << 20, 1 << 16];

static WHEELS: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn count() -> usize {
    WHEELS.load(Relaxed)
}

pub(crate) type SlotRef = NonNull<Slot>;

pub(crate) struct Wheel {
    raw: *mut sys::libwheel,
    runtime: Identity,
    /// False once the driver has ended. No timer expires afterwards.
    alive: AtomicBool,
    /// Value of [`fork::count`] in the process that owns the wheel.
    forks: u32,
    /// The same moment on two clocks.
    start: Instant,
    start_ns: u64,
    pool: Mutex<Pool>,
}

struct Pool {
    free: Vec<SlotRef>,
    chunks: Vec<NonNull<[Slot]>>,
    slots: usize,
    size: usize,
    references: usize,
}

// SAFETY: libwheel's functions may be called from any thread, `raw` is constant, and the slots
// behind the pointers of the pool are Sync.
unsafe impl Send for Wheel {}
// SAFETY: as above.
unsafe impl Sync for Wheel {}

impl Wheel {
    /// Opens a wheel with one reference, the driver's.
    pub fn open(runtime: Identity) -> Option<Box<Wheel>> {
        let (raw, size) = SIZES.iter().find_map(|&size| open(size))?;
        let start = Instant::now();
        // Read after `start`: a deadline is converted to the same moment or a later one.
        // SAFETY: `raw` is open.
        let start_ns = unsafe { sys::libwheel_now(raw) };
        WHEELS.fetch_add(1, Relaxed);
        let pool = Pool { free: Vec::new(), chunks: Vec::new(), slots: 0, size, references: 1 };

        Some(Box::new(Wheel {
            raw,
            runtime,
            alive: AtomicBool::new(true),
            forks: fork::count(),
            start,
            start_ns,
            pool: Mutex::new(pool),
        }))
    }

    pub fn raw(&self) -> *mut sys::libwheel {
        self.raw
    }

    pub fn runtime(&self) -> &Identity {
        &self.runtime
    }

    /// A child of fork() must not access the words of its parent's wheel.
    pub fn is_ours(&self) -> bool {
        self.forks == fork::count()
    }

    pub fn is_usable(&self) -> bool {
        self.alive.load(Acquire) && self.is_ours()
    }

    pub fn end(&self) {
        self.alive.store(false, Release);
    }

    /// Converts a deadline to the wheel's clock, without rounding down.
    fn ns(&self, deadline: Instant) -> u64 {
        let after = deadline.saturating_duration_since(self.start).as_nanos();

        u64::try_from(after)
            .unwrap_or(u64::MAX)
            .saturating_add(self.start_ns)
            .min(sys::WHEEL_MAX_TIME)
    }

    /// Arms the parked timer of a slot.
    ///
    /// # Safety
    ///
    /// The caller must own the slot, which must belong to this wheel.
    pub unsafe fn arm(&self, slot: &Slot, deadline: Instant) -> Result<(), i32> {
        let (id, at) = (id_of(slot), self.ns(deadline));
        // SAFETY: the wheel is open, because the caller's slot is a reference.
        let mut err = unsafe { sys::libwheel_word_arm(self.raw, id, at) };

        while err == -sys::EINTR {
            // SAFETY: as above.
            err = unsafe { sys::libwheel_word_notify(self.raw, id, at) };
        }
        if err == 0 { Ok(()) } else { Err(err) }
    }

    /// Moves an armed timer. Returns false if it has expired.
    ///
    /// # Safety
    ///
    /// As for [`Wheel::arm`].
    pub unsafe fn move_to(&self, slot: &Slot, deadline: Instant) -> bool {
        let (id, at) = (id_of(slot), self.ns(deadline));
        // SAFETY: the wheel is open, because the caller's slot is a reference.
        let mut err = unsafe { sys::libwheel_word_push(self.raw, id, at) };

        while err == -sys::EINTR {
            // SAFETY: as above.
            err = unsafe { sys::libwheel_word_notify(self.raw, id, at) };
        }
        err == 0
    }

    /// Parks an armed timer. Returns false if it has expired.
    ///
    /// # Safety
    ///
    /// As for [`Wheel::arm`].
    pub unsafe fn park(&self, slot: &Slot) -> bool {
        // SAFETY: the wheel is open, because the caller's slot is a reference.
        unsafe { sys::libwheel_word_park(self.raw, id_of(slot)) == 0 }
    }

    /// Parks a timer whose event was taken. A stopped wheel rejects it, which is harmless.
    ///
    /// # Safety
    ///
    /// As for [`Wheel::arm`].
    pub unsafe fn rest(&self, slot: &Slot) {
        // SAFETY: the wheel is open, because the caller's slot is a reference.
        unsafe { sys::libwheel_word_reset(self.raw, id_of(slot)) };
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Moves up to `count` free slots to `to`. Moves none if the wheel is full.
    pub fn take(&self, to: &mut Vec<SlotRef>, count: usize) {
        let mut pool = self.pool();

        if pool.free.is_empty() {
            pool.grow(self.raw);
        }
        let from = pool.free.len().saturating_sub(count);
        pool.references += pool.free.len() - from;
        to.extend(pool.free.drain(from..));
    }

    #[cfg(test)]
    pub fn limit(&self, slots: usize) {
        self.pool().size = slots;
    }

    pub fn add_reference(&self) {
        self.pool().references += 1;
    }

    /// Returns slots and drops one reference per slot, and `others` more.
    ///
    /// # Safety
    ///
    /// The caller must have these references. The wheel may no longer exist afterwards.
    pub unsafe fn release(wheel: NonNull<Wheel>, slots: impl Iterator<Item = SlotRef>, others: usize) {
        // SAFETY: the caller's references keep the wheel.
        let mut pool = unsafe { wheel.as_ref() }.pool();
        let before = pool.free.len();

        pool.free.extend(slots);
        let returned = pool.free.len() - before;
        pool.references -= returned + others;
        let unused = pool.references == 0;
        drop(pool);
        if unused {
            // SAFETY: it came from Box::leak(), and no reference is left.
            drop(unsafe { Box::from_raw(wheel.as_ptr()) });
        }
    }

    pub fn backend(&self) -> Backend {
        // SAFETY: the wheel is open.
        match unsafe { sys::libwheel_backend(self.raw) } as u32 {
            sys::LIBWHEEL_KERNEL => Backend::Kernel,
            _ => Backend::User,
        }
    }
}

impl Drop for Wheel {
    fn drop(&mut self) {
        // SAFETY: no slot is in use, and the driver has ended.
        unsafe { sys::libwheel_close(self.raw) };
        WHEELS.fetch_sub(1, Relaxed);
        for chunk in self.pool().chunks.drain(..) {
            // SAFETY: it came from Box::leak(), and no slot is in use.
            drop(unsafe { Box::from_raw(chunk.as_ptr()) });
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
        let chunk: &[Slot] = Box::leak(numbers.map(Slot::new).collect());
        let kept = keep(raw, chunk);

        // A pool takes from its end: the first slot is used first.
        self.free.extend(chunk[..kept].iter().rev().map(NonNull::from));
        self.slots += kept;
        self.chunks.push(NonNull::from(chunk));
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
