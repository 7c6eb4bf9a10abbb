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

/// No wheel could be opened, so all timers of the process use tokio's timer.
static UNAVAILABLE: AtomicBool = AtomicBool::new(false);

/// Limit of [`Wheels::refused`]. A runtime that is no longer listed is checked again.
const MAX_REFUSED: usize = 64;

#[derive(Default)]
struct Wheels {
    /// The wheels that have a driver.
    driven: Vec<NonNull<Wheel>>,
    /// Runtimes that cannot drive a wheel. The handle keeps the address that identifies one.
    refused: Vec<(Identity, Handle)>,
}

// SAFETY: a wheel may be accessed by any thread.
unsafe impl Send for Wheels {}

/// A child of fork() starts with a new list, because another thread may have held the parent's
/// lock.
static WHEELS: AtomicPtr<Mutex<Wheels>> = AtomicPtr::new(null_mut());

fn wheels() -> MutexGuard<'static, Wheels> {
    let mut list = WHEELS.load(Acquire);

    if list.is_null() {
        let new = Box::into_raw(Box::<Mutex<Wheels>>::default());
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

/// The timers of this runtime use tokio's timer from now on.
pub(crate) fn refuse(handle: &Handle) {
    wheels().refuse(handle);
}

impl Wheels {
    fn refuse(&mut self, handle: &Handle) {
        if self.refused.len() == MAX_REFUSED {
            self.refused.remove(0);
        }
        self.refused.push((Identity::of(handle), handle.clone()));
    }
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
    if UNAVAILABLE.load(Relaxed) {
        return None;
    }
    let handle = Handle::try_current().ok()?;
    fork::watch();
    let mut wheels = wheels();
    if let Some(found) = find(&wheels, &handle) {
        return Some(found);
    }
    if wheels.refused.iter().any(|(runtime, _)| runtime.is(&handle)) {
        return None;
    }
    let driver = open(&mut wheels, &handle)?;
    let wheel = driver.wheel();
    // SAFETY: the driver has a reference.
    unsafe { wheel.as_ref() }.add_reference();
    wheels.driven.push(wheel);
    // A runtime that is shutting down drops the driver in spawn(), and with it the entry.
    drop(wheels);
    handle.spawn(driver.run());
    Some(wheel)
}

fn open(wheels: &mut Wheels, handle: &Handle) -> Option<Driver> {
    let wheel = match Wheel::open(Identity::of(handle)) {
        Some(wheel) => wheel,
        None => {
            UNAVAILABLE.store(true, Relaxed);
            return None;
        }
    };
    let driver = Driver::new(wheel, handle);

    if driver.is_none() {
        wheels.refuse(handle);
    }
    driver
}

fn find(wheels: &Wheels, handle: &Handle) -> Option<NonNull<Wheel>> {
    wheels.driven.iter().copied().find(|wheel| {
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
    wheels().driven.retain(|other| *other != wheel);
}
