// SPDX-License-Identifier: GPL-2.0
//! tokio's hierarchical wheel in its stand-alone form: tokio-util's DelayQueue. It reads the
//! harness's clock, see clock.c. An iteration of the runtime advances it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::{unconstrained, yield_now};
use tokio::time::Instant;
use tokio_util::time::delay_queue::{DelayQueue, Key};

extern "C" {
    static bench_now: u64;
    static mut bench_fired: u32;
}

/// The C structure `contestant` of contestant.h.
#[repr(C)]
pub struct Contestant {
    name: *const u8,
    create: extern "C" fn(u32) -> bool,
    arm: extern "C" fn(u32, u64),
    rearm: extern "C" fn(u32, u64),
    cancel: extern "C" fn(u32),
    advance: extern "C" fn(),
}

unsafe impl Sync for Contestant {}

#[no_mangle]
pub static tokio_wheel: Contestant = Contestant {
    name: b"tokio\0".as_ptr(),
    create,
    arm,
    rearm,
    cancel,
    advance,
};

struct Wheel {
    runtime: Runtime,
    queue: DelayQueue<u32>,
    keys: Vec<Option<Key>>,
    start: Instant,
    start_ms: u64,
}

static mut WHEEL: Option<Wheel> = None;

/// The harness has one thread, and creates the wheel first.
fn wheel() -> &'static mut Wheel {
    unsafe { (*std::ptr::addr_of_mut!(WHEEL)).as_mut().unwrap() }
}

impl Wheel {
    fn at(&self, deadline: u64) -> Instant {
        self.start + Duration::from_millis(deadline - self.start_ms)
    }
}

extern "C" fn create(count: u32) -> bool {
    let runtime = match Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(_) => return false,
    };
    // Timers are created outside the runtime's block_on(), so its context is entered here.
    std::mem::forget(Box::leak(Box::new(runtime.handle().clone())).enter());
    let wheel = Wheel {
        runtime,
        queue: DelayQueue::with_capacity(count as usize),
        keys: vec![None; count as usize],
        start: Instant::now(),
        start_ms: unsafe { bench_now },
    };
    unsafe { WHEEL = Some(wheel) };
    true
}

extern "C" fn arm(i: u32, deadline: u64) {
    let w = wheel();
    let at = w.at(deadline);
    w.keys[i as usize] = Some(w.queue.insert_at(i, at));
}

extern "C" fn rearm(i: u32, deadline: u64) {
    let w = wheel();
    let at = w.at(deadline);
    w.queue.reset_at(w.keys[i as usize].as_ref().unwrap(), at);
}

extern "C" fn cancel(i: u32) {
    let w = wheel();
    w.queue.remove(w.keys[i as usize].as_ref().unwrap());
}

/// Takes the due timers without waiting.
struct Take<'a>(&'a mut DelayQueue<u32>);

impl Future for Take<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Some(_)) = self.0.poll_expired(context) {
            unsafe { bench_fired += 1 };
        }
        Poll::Ready(())
    }
}

extern "C" fn advance() {
    let w = wheel();
    let queue = &mut w.queue;
    w.runtime.block_on(async move {
        // The runtime reads its clock between two iterations.
        yield_now().await;
        unconstrained(Take(queue)).await
    });
}
