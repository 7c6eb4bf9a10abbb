// SPDX-License-Identifier: MIT
//! Errors of the timers.

use std::fmt;
use std::io;

pub use tokio::time::error::Error;

/// Error of [`timeout`](crate::timeout) and [`timeout_at`](crate::timeout_at).
///
/// It is equivalent to tokio's error of this name, which only tokio can construct.
#[derive(Debug, PartialEq, Eq)]
pub struct Elapsed(());

impl Elapsed {
    pub(crate) fn new() -> Elapsed {
        Elapsed(())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadline has elapsed")
    }
}

impl std::error::Error for Elapsed {}

impl From<Elapsed> for io::Error {
    fn from(_: Elapsed) -> io::Error {
        io::ErrorKind::TimedOut.into()
    }
}
