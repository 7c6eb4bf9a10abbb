// SPDX-License-Identifier: MIT
//! Timers that wake tasks, without a runtime. wheel-tokio's tests cover their races and fork().

use std::sync::{Arc, Condvar, Mutex};
use std::task::{Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use wheel_timer::task::{backend, Timer};

const SOON: Duration = Duration::from_millis(5);
const HOUR: Duration = Duration::from_secs(3600);

/// Counts its wake-ups, and the time of the last one.
struct Task {
    woken: Mutex<(usize, Instant)>,
    changed: Condvar,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let mut woken = self.woken.lock().unwrap();

        *woken = (woken.0 + 1, Instant::now());
        self.changed.notify_all();
    }
}

impl Task {
    fn new() -> (Arc<Task>, Waker) {
        let task = Arc::new(Task { woken: Mutex::new((0, Instant::now())), changed: Condvar::new() });

        (task.clone(), task.into())
    }

    fn wake_ups(&self) -> usize {
        self.woken.lock().unwrap().0
    }

    /// Waits for the first wake-up, and returns its time.
    fn wait(&self) -> Instant {
        let woken = self.woken.lock().unwrap();
        let woken = self.changed.wait_while(woken, |woken| woken.0 == 0).unwrap();

        assert_eq!(woken.0, 1);
        woken.1
    }
}

#[test]
fn a_task_is_woken_once_and_not_early() {
    let (task, waker) = Task::new();
    let deadline = Instant::now() + SOON;
    let mut timer = Timer::arm(deadline, &waker).unwrap();

    assert!(backend().is_some());
    assert!(task.wait() >= deadline);
    assert!(!timer.set_waker(&waker) && !timer.reset(deadline + HOUR));
    assert!(timer.end().is_none());
    assert_eq!(task.wake_ups(), 1);
}

#[test]
fn the_last_task_is_woken() {
    let ((first, first_waker), (last, last_waker)) = (Task::new(), Task::new());
    let mut timer = Timer::arm(Instant::now() + HOUR, &first_waker).unwrap();
    let deadline = Instant::now() + SOON;

    assert!(timer.set_waker(&last_waker));
    assert!(timer.reset(deadline));
    assert!(last.wait() >= deadline);
    assert_eq!(first.wake_ups(), 0);
}

#[test]
fn a_timer_that_ends_returns_its_waker() {
    let (task, waker) = Task::new();
    let timer = Timer::arm(Instant::now() + HOUR, &waker).unwrap();

    assert!(timer.end().unwrap().will_wake(&waker));
    drop(Timer::arm(Instant::now() + HOUR, &waker).unwrap());
    drop(waker);
    assert_eq!((Arc::strong_count(&task), task.wake_ups()), (1, 0));
}

#[test]
fn a_timer_may_move_to_another_thread() {
    let (task, waker) = Task::new();
    let mut timer = Timer::arm(Instant::now() + HOUR, &waker).unwrap();

    thread::spawn(move || {
        assert!(timer.reset(Instant::now() + SOON));
        task.wait();
    })
    .join()
    .unwrap();
}
