// SPDX-License-Identifier: MIT
//! The C library libwheel, built from source, and declarations of the functions that
//! wheel-timer calls.
//!
//! libwheel(3) documents the functions, libwheel(7) the concepts and the error numbers. Times are
//! nanoseconds on the wheel's clock. A function that can fail returns a negative error number.
//! The library uses `/dev/wheel` if the device is present, and a timerfd otherwise.
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_int};

/// An open wheel.
#[repr(C)]
pub struct libwheel {
    _opaque: [u8; 0],
}

/// `libwheel_options.backend`: `/dev/wheel` if it is available, else the wheel in user space.
pub const LIBWHEEL_AUTO: u32 = 0;
pub const LIBWHEEL_KERNEL: u32 = 1;
pub const LIBWHEEL_USER: u32 = 2;
/// `libwheel_options.mode`: no file descriptor, for loops that call `libwheel_next()`.
pub const LIBWHEEL_NO_FD: u32 = 1;

pub const WHEEL_CLOCK_MONOTONIC: u32 = 0;
pub const WHEEL_CLOCK_VIRTUAL: u32 = 4;
pub const WHEEL_SETUP_WORDS: u32 = 1 << 0;
pub const WHEEL_OP_ARM: u32 = 1;
pub const WHEEL_OP_WORD: u32 = 1 << 1;
pub const WHEEL_SLOT_BITS: u32 = 24;
/// The last time of a wheel's clock.
pub const WHEEL_MAX_TIME: u64 = i64::MAX as u64;

pub const ENOENT: c_int = 2;
pub const EINTR: c_int = 4;
pub const ESHUTDOWN: c_int = 108;

/// `WHEEL_ID()`: the name of a timer.
pub const fn wheel_id(slot: u32, generation: u64) -> u64 {
    generation << WHEEL_SLOT_BITS | slot as u64
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct libwheel_options {
    pub size: u32,
    pub flags: u32,
    pub backend: u32,
    pub clock: u32,
    pub scheme: u32,
    pub timers: u32,
    pub buckets: u32,
    pub mode: u32,
    pub tick_ns: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct wheel_op {
    pub op: u32,
    pub flags: u32,
    pub id: u64,
    pub when: u64,
    pub slack: u64,
    pub period: u64,
    pub cookie: u64,
    pub res: i32,
    pub reserved: [u32; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct wheel_event {
    pub id: u64,
    pub cookie: u64,
    pub deadline: u64,
    pub fired: u64,
    pub overrun: u64,
    pub seq: u32,
    pub res: i32,
}

extern "C" {
    pub fn libwheel_open(wheel: *mut *mut libwheel, options: *const libwheel_options) -> c_int;
    pub fn libwheel_close(wheel: *mut libwheel);
    pub fn libwheel_backend(wheel: *const libwheel) -> c_int;
    pub fn libwheel_fd(wheel: *const libwheel) -> c_int;
    pub fn libwheel_now(wheel: *const libwheel) -> u64;
    pub fn libwheel_strerror(err: c_int) -> *const c_char;
    pub fn libwheel_next(wheel: *mut libwheel, when: *mut u64) -> c_int;
    pub fn libwheel_slot_get(wheel: *mut libwheel, id: *mut u64) -> c_int;
    pub fn libwheel_slot_put(wheel: *mut libwheel, id: u64);
    pub fn libwheel_arm(wheel: *mut libwheel, id: u64, when: u64, cookie: u64) -> c_int;
    pub fn libwheel_rearm(wheel: *mut libwheel, id: u64, when: u64) -> c_int;
    pub fn libwheel_cancel(wheel: *mut libwheel, id: u64) -> c_int;
    pub fn libwheel_submit(
        wheel: *mut libwheel,
        ops: *mut wheel_op,
        count: u32,
        done: *mut u32,
    ) -> c_int;
    pub fn libwheel_expirations(
        wheel: *mut libwheel,
        events: *mut wheel_event,
        count: u32,
    ) -> c_int;
    pub fn libwheel_wait(
        wheel: *mut libwheel,
        events: *mut wheel_event,
        count: u32,
        timeout_ns: i64,
    ) -> c_int;
    pub fn libwheel_stop(wheel: *mut libwheel, unfired: *mut u64) -> c_int;
    pub fn libwheel_list(
        wheel: *mut libwheel,
        flags: u32,
        ops: *mut wheel_op,
        count: u32,
        cursor: *mut u32,
    ) -> c_int;
    pub fn libwheel_advance(wheel: *mut libwheel, now: u64, next: *mut u64) -> c_int;
    pub fn libwheel_word_park(wheel: *mut libwheel, id: u64) -> c_int;
    pub fn libwheel_word_arm(wheel: *mut libwheel, id: u64, deadline: u64) -> c_int;
    pub fn libwheel_word_push(wheel: *mut libwheel, id: u64, deadline: u64) -> c_int;
    pub fn libwheel_word_reset(wheel: *mut libwheel, id: u64) -> c_int;
    pub fn libwheel_word_notify(wheel: *mut libwheel, id: u64, deadline: u64) -> c_int;
}
