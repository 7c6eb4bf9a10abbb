// SPDX-License-Identifier: MIT
//! fork(): a child inherits neither the driver of a wheel nor, with `/dev/wheel`, its memory.
//!
//! The child counts the fork. Wheels of the parent have another count, and are left alone.

use std::os::raw::c_int;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Once;

static FORKS: AtomicU32 = AtomicU32::new(0);
static REGISTER: Once = Once::new();

extern "C" {
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// The number of forks between the process that called [`watch`] first and this one.
#[inline]
pub(crate) fn count() -> u32 {
    FORKS.load(Relaxed)
}

/// Counts forks from now on.
pub(crate) fn watch() {
    REGISTER.call_once(|| {
        // SAFETY: the handler is a function that is never unloaded while it is registered.
        unsafe { pthread_atfork(None, None, Some(in_child)) };
    });
}

extern "C" fn in_child() {
    FORKS.fetch_add(1, Relaxed);
    super::wheel::forget_parent();
    super::local::forget_parent();
}
