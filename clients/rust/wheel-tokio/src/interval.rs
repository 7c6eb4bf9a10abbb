// SPDX-License-Identifier: MIT
use std::convert::TryFrom;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use crate::sleep::{far_future, sleep_until, Sleep};

/// A tick that is late by less is not a missed tick, as in tokio.
const TOLERANCE: Duration = Duration::from_millis(5);

/// Ticks every `period`, the first time immediately.
///
/// # Panics
///
/// Panics if `period` is zero.
///
/// # Examples
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// let mut interval = wheel_tokio::interval(std::time::Duration::from_millis(10));
/// let first = interval.tick().await;
/// assert_eq!(interval.tick().await, first + interval.period());
/// # }
/// ```
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    interval_at(Instant::now(), period)
}

/// Ticks every `period`, the first time at `start`.
///
/// # Panics
///
/// Panics if `period` is zero.
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    assert!(!period.is_zero(), "`period` must be non-zero.");
    let missed_tick_behavior = MissedTickBehavior::default();

    Interval { delay: sleep_until(start), period, missed_tick_behavior }
}

/// Stream of ticks, returned by [`interval`] and [`interval_at`].
#[derive(Debug)]
pub struct Interval {
    delay: Sleep,
    period: Duration,
    missed_tick_behavior: MissedTickBehavior,
}

struct Tick<'a>(&'a mut Interval);

impl Future for Tick<'_> {
    type Output = Instant;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Instant> {
        self.0.poll_tick(cx)
    }
}

impl Interval {
    /// Waits for the next tick. Returns the time for which it was scheduled.
    ///
    /// No tick is lost if the returned future is dropped.
    pub async fn tick(&mut self) -> Instant {
        Tick(self).await
    }

    /// Polls for the next tick.
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        if Pin::new(&mut self.delay).poll(cx).is_pending() {
            return Poll::Pending;
        }
        let scheduled = self.delay.deadline();
        let now = Instant::now();
        let next = self.next_tick(scheduled, now).unwrap_or_else(|| far_future(now));

        // A new future: no timer wakes the task before the next poll.
        self.delay = sleep_until(next);
        Poll::Ready(scheduled)
    }

    fn next_tick(&self, scheduled: Instant, now: Instant) -> Option<Instant> {
        let late = now.saturating_duration_since(scheduled);

        if late <= TOLERANCE {
            return scheduled.checked_add(self.period);
        }
        match self.missed_tick_behavior {
            MissedTickBehavior::Burst => scheduled.checked_add(self.period),
            MissedTickBehavior::Delay => now.checked_add(self.period),
            MissedTickBehavior::Skip => {
                let since_tick = late.as_nanos() % self.period.as_nanos();
                let since_tick = Duration::from_nanos(u64::try_from(since_tick).ok()?);
                now.checked_add(self.period)?.checked_sub(since_tick)
            }
        }
    }

    /// Schedules the next tick one period from now.
    pub fn reset(&mut self) {
        let period = self.period;
        self.reset_after(period);
    }

    /// Schedules the next tick now.
    pub fn reset_immediately(&mut self) {
        self.reset_at(Instant::now());
    }

    /// Schedules the next tick `after` from now.
    pub fn reset_after(&mut self, after: Duration) {
        let now = Instant::now();
        self.reset_at(now.checked_add(after).unwrap_or_else(|| far_future(now)));
    }

    /// Schedules the next tick at `deadline`.
    pub fn reset_at(&mut self, deadline: Instant) {
        self.delay.set_deadline(deadline);
    }

    /// The behavior when a tick was missed. The default is [`MissedTickBehavior::Burst`].
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed_tick_behavior
    }

    /// Sets the behavior when a tick was missed.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed_tick_behavior = behavior;
    }

    /// The period.
    pub fn period(&self) -> Duration {
        self.period
    }
}
