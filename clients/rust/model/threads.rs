// SPDX-License-Identifier: MIT
//! loom's interface on real threads: the tests in loom/src/lib.rs run many times, for
//! ThreadSanitizer.

pub use std::thread;

pub mod cell {
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub fn new(value: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        pub fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
            access(self.0.get())
        }
    }
}

pub mod sync {
    pub use std::sync::atomic;
}

const RUNS: usize = 200;

pub fn model(test: impl Fn()) {
    (0..RUNS).for_each(|_| test());
}
