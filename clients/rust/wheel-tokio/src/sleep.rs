// SPDX-License-Identifier: MIT
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{self, Instant};

use wheel_timer::task::Timer;

/// Waits until `deadline`.
///
/// # Examples
///
/// ```
/// use wheel_tokio::{sleep_until, Duration, Instant};
///
/// # #[tokio::main]
/// # async fn main() {
/// let deadline = Instant::now() + Duration::from_millis(10);
/// sleep_until(deadline).await;
/// assert!(Instant::now() >= deadline);
/// # }
/// ```
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { deadline, state: State::Unchecked }
}

/// Waits until `duration` has elapsed.
///
/// # Examples
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// wheel_tokio::sleep(std::time::Duration::from_millis(10)).await;
/// # }
/// ```
pub fn sleep(duration: Duration) -> Sleep {
    let now = Instant::now();
    let deadline = now.checked_add(duration).unwrap_or_else(|| far_future(now));
    let state = if duration.is_zero() { State::Unchecked } else { State::Future };

    Sleep { deadline, state }
}

/// The deadline of a duration that overflows the clock, as in tokio.
pub(crate) fn far_future(now: Instant) -> Instant {
    now + Duration::from_secs(86400 * 365 * 30)
}

/// Future returned by [`sleep`] and [`sleep_until`].
///
/// The timer is armed when the future is polled first. It counts from the future's creation.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Sleep {
    deadline: Instant,
    state: State,
}

enum State {
    /// Not armed. The deadline was in the future at creation.
    Future,
    /// Not armed. The deadline may have passed.
    Unchecked,
    Armed(Timer),
    /// No wheel is available, or tokio's clock is paused.
    Tokio(Pin<Box<time::Sleep>>),
    Elapsed,
}

impl Sleep {
    /// The time at which the future completes.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns true if the future has completed, or can complete.
    pub fn is_elapsed(&self) -> bool {
        match &self.state {
            State::Elapsed => true,
            State::Tokio(sleep) => sleep.is_elapsed(),
            State::Armed(_) => Instant::now() >= self.deadline,
            State::Future | State::Unchecked => false,
        }
    }

    /// Sets another deadline, whether or not the future has completed.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheel_tokio::{sleep, Duration, Instant};
    ///
    /// # #[tokio::main]
    /// # async fn main() {
    /// let sleep = sleep(Duration::from_secs(3600));
    /// tokio::pin!(sleep);
    /// sleep.as_mut().reset(Instant::now() + Duration::from_millis(10));
    /// sleep.await;
    /// # }
    /// ```
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        self.get_mut().set_deadline(deadline);
    }

    pub(crate) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = deadline;
        let moved = match &mut self.state {
            State::Armed(timer) => timer.reset(deadline.into_std()),
            State::Tokio(sleep) => {
                sleep.as_mut().reset(deadline);
                true
            }
            _ => false,
        };
        if !moved {
            self.disarm();
        }
    }

    /// A timer that has expired is armed by the next poll.
    fn disarm(&mut self) {
        if let State::Armed(timer) = std::mem::replace(&mut self.state, State::Unchecked) {
            if let Some(waker) = timer.end() {
                waker.wake();
            }
        }
    }

    /// Polls without tokio's cooperative budget.
    pub(crate) fn poll_elapsed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match &mut self.state {
                State::Elapsed => return Poll::Ready(()),
                State::Tokio(sleep) => return sleep.as_mut().poll(cx),
                State::Armed(timer) => {
                    if timer.set_waker(cx.waker()) {
                        return Poll::Pending;
                    }
                    self.state = State::Unchecked;
                }
                State::Future | State::Unchecked if clock_is_tokios() => return self.use_tokio(cx),
                State::Unchecked if Instant::now() >= self.deadline => self.state = State::Elapsed,
                State::Future | State::Unchecked => return self.arm(cx),
            }
        }
    }

    fn arm(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match Timer::arm(self.deadline.into_std(), cx.waker()) {
            Some(timer) => {
                self.state = State::Armed(timer);
                Poll::Pending
            }
            None => self.use_tokio(cx),
        }
    }

    fn use_tokio(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut sleep = Box::pin(time::sleep_until(self.deadline));
        let polled = sleep.as_mut().poll(cx);

        self.state = State::Tokio(sleep);
        polled
    }
}

/// Returns true if tokio's clock differs from the machine's, because a test has paused it.
///
/// In a release build, this requires the feature `test-util`.
fn clock_is_tokios() -> bool {
    if !cfg!(any(debug_assertions, feature = "test-util")) {
        return false;
    }
    let before = std::time::Instant::now();
    let tokios = Instant::now().into_std();

    tokios < before || tokios > std::time::Instant::now()
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.get_mut().poll_elapsed(cx) {
            Poll::Ready(()) => use_budget(cx),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// Spends a unit of tokio's cooperative budget, or yields if none is left.
fn use_budget(cx: &mut Context<'_>) -> Poll<()> {
    let mut buffer = ReadBuf::new(&mut []);

    Pin::new(&mut tokio::io::empty()).poll_read(cx, &mut buffer).map(|_| ())
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    /// A wheel with one chunk: timers that do not fit use tokio's timer, and all expire.
    #[tokio::test]
    async fn full_wheel_falls_back_to_tokio() {
        wheel_timer::task::limit_slots(64);
        let before = crate::Instant::now();
        let after = Duration::from_millis(20);
        let sleeps: Vec<_> = (0..200).map(|_| Box::pin(crate::sleep(after))).collect();

        futures::future::join_all(sleeps).await;
        assert!(before.elapsed() >= after);
    }
}
