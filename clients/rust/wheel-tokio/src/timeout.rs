// SPDX-License-Identifier: MIT
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use crate::error::Elapsed;
use crate::sleep::{sleep, sleep_until, Sleep};

/// Requires a future to complete before `duration` has elapsed.
///
/// If it does not, it is dropped and the error is [`Elapsed`]. A future that is ready when the
/// deadline has passed completes.
///
/// # Examples
///
/// ```
/// use wheel_tokio::{timeout, Duration};
///
/// # #[tokio::main]
/// # async fn main() {
/// assert_eq!(timeout(Duration::from_secs(1), async { 42 }).await, Ok(42));
/// let never = std::future::pending::<()>();
/// assert!(timeout(Duration::from_millis(10), never).await.is_err());
/// # }
/// ```
pub fn timeout<F: Future>(duration: Duration, future: F) -> Timeout<F> {
    Timeout { value: future, delay: sleep(duration) }
}

/// Requires a future to complete before `deadline`. See [`timeout`].
///
/// # Examples
///
/// ```
/// use wheel_tokio::{timeout_at, Duration, Instant};
///
/// # #[tokio::main]
/// # async fn main() {
/// let deadline = Instant::now() + Duration::from_secs(1);
/// assert_eq!(timeout_at(deadline, async { 42 }).await, Ok(42));
/// # }
/// ```
pub fn timeout_at<F: Future>(deadline: Instant, future: F) -> Timeout<F> {
    Timeout { value: future, delay: sleep_until(deadline) }
}

pin_project! {
    /// Future returned by [`timeout`] and [`timeout_at`].
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    #[derive(Debug)]
    pub struct Timeout<T> {
        #[pin]
        value: T,
        delay: Sleep,
    }
}

impl<T> Timeout<T> {
    /// The future.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The future, mutable.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// Cancels the timeout.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T: Future> Future for Timeout<T> {
    type Output = Result<T::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = self.project();

        if let Poll::Ready(value) = me.value.poll(cx) {
            return Poll::Ready(Ok(value));
        }
        // A future that uses up the budget must not delay its timeout.
        me.delay.poll_elapsed(cx).map(|()| Err(Elapsed::new()))
    }
}
