// SPDX-License-Identifier: MIT
//! The wheels of the runtimes.

use std::mem::{size_of, size_of_val};
use std::ptr::{null_mut, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};
use std::sync::{Mutex, MutexGuard};

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::driver::Driver;
use crate::fork;
use crate::wheel::Wheel;

/// A wheel could not be opened or driven, so all timers of the process use tokio's timer.
static UNAVAILABLE: AtomicBool = AtomicBool::new(false);

struct Wheels(Vec<NonNull<Wheel>>);

// SAFETY: a wheel may be accessed by any thread.
unsafe impl Send for Wheels {}

/// The wheels that have a driver. A child of fork() starts with a new list, because
/// another thread may have held the parent's lock.
static WHEELS: AtomicPtr<Mutex<Wheels>> = AtomicPtr::new(null_mut());

fn wheels() -> MutexGuard<'static, Wheels> {
    let mut list = WHEELS.load(Acquire);

    if list.is_null() {
        let new = Box::into_raw(Box::new(Mutex::new(Wheels(Vec::new()))));
        list = match WHEELS.compare_exchange(null_mut(), new, AcqRel, Acquire) {
            Ok(_) => new,
            Err(other) => {
                // SAFETY: it was allocated above, and is not shared.
                drop(unsafe { Box::from_raw(new) });
                other
            }
        };
    }
    // SAFETY: a list is never freed.
    unsafe { &*list }.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub(crate) fn forget_parent() {
    WHEELS.store(null_mut(), Release);
}

pub(crate) fn is_unavailable() -> bool {
    UNAVAILABLE.load(Relaxed)
}

pub(crate) fn set_unavailable() {
    UNAVAILABLE.store(true, Relaxed);
}

/// Identifies the runtime of a handle.
pub(crate) struct Identity {
    multi_thread: bool,
    is_same: Box<dyn Fn(&Handle) -> bool + Send + Sync>,
}

/// Handle::id() of older versions of tokio. A method of the type takes precedence over this one.
#[allow(dead_code)]
trait OldId {
    fn id(&self) -> [usize; 2];
}

impl OldId for Handle {
    /// The handle's tag and pointer. The driver has a clone of the handle, so that the address
    /// identifies the runtime while its wheel is registered.
    fn id(&self) -> [usize; 2] {
        let mut id = [0; 2];
        let size = size_of::<Handle>().min(size_of_val(&id));

        // SAFETY: `size` is in the bounds of both. In these versions the handle is an enum of
        // pointers, whose tag the compiler extends to the alignment: all bytes are initialized.
        unsafe {
            let (from, to) = (self as *const Handle as *const u8, id.as_mut_ptr() as *mut u8);
            std::ptr::copy_nonoverlapping(from, to, size);
        }
        id
    }
}

impl Identity {
    fn of(handle: &Handle) -> Identity {
        let id = handle.id();

        Identity {
            multi_thread: handle.runtime_flavor() != RuntimeFlavor::CurrentThread,
            is_same: Box::new(move |other| other.id() == id),
        }
    }

    fn is(&self, handle: &Handle) -> bool {
        (self.is_same)(handle)
    }

    /// Returns true if the calling thread may use the wheel of this runtime.
    ///
    /// The workers of a multi-thread runtime always poll its driver. A current-thread runtime
    /// polls its driver only while it runs.
    pub fn serves_caller(&self) -> bool {
        self.multi_thread || Handle::try_current().map_or(false, |handle| self.is(&handle))
    }
}

/// The wheel of the current runtime, with a new reference. None: use tokio's timer.
pub(crate) fn wheel_of_current() -> Option<NonNull<Wheel>> {
    if is_unavailable() {
        return None;
    }
    let handle = Handle::try_current().ok()?;
    fork::watch();
    let mut wheels = wheels();
    if let Some(found) = find(&wheels, &handle) {
        return Some(found);
    }
    let driver = match Wheel::open(Identity::of(&handle)).and_then(|w| Driver::new(w, &handle)) {
        Some(driver) => driver,
        None => {
            set_unavailable();
            return None;
        }
    };
    let wheel = driver.wheel();
    // SAFETY: the driver has a reference.
    unsafe { wheel.as_ref() }.add_reference();
    wheels.0.push(wheel);
    // A runtime that is shutting down drops the driver in spawn(), and with it the entry.
    drop(wheels);
    handle.spawn(driver.run());
    Some(wheel)
}

fn find(wheels: &Wheels, handle: &Handle) -> Option<NonNull<Wheel>> {
    wheels.0.iter().copied().find(|wheel| {
        // SAFETY: the driver's reference is dropped after the entry is removed.
        let wheel = unsafe { wheel.as_ref() };
        let found = wheel.runtime().is(handle);
        if found {
            wheel.add_reference();
        }
        found
    })
}

pub(crate) fn remove(wheel: NonNull<Wheel>) {
    wheels().0.retain(|other| *other != wheel);
}
