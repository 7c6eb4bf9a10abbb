// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions that cancel timers, wait for callbacks, and shut timers down.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include "verbs.h"

/**
 * wheel_timer_cancel_locked() - Cancel a timer of a locked wheel
 * @timer: timer of a wheel locked by wheel_lock()
 *
 * Context: Same as wheel_timer_arm_locked().
 *
 * Return: Same as wheel_timer_cancel().
 */
int wheel_timer_cancel_locked(struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	if (unlikely(!base))
		return -EINVAL;
	return base_cancel(base, timer);
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel_locked);

/**
 * wheel_timer_cancel() - Cancel a timer
 * @timer: timer
 *
 * Does not wait for the callback. If %-EALREADY is returned, the callback may
 * still access the timer.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - the timer was pending and will not expire
 * * %-EALREADY - the timer is not pending, and its callback is running
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ENOENT - the timer is not pending
 */
int wheel_timer_cancel(struct wheel_timer *timer)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = timer_lock(timer, &flags);
	err = base_cancel(base, timer);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel);

/*
 * A callback may arm its timer again. Therefore, after waiting for the callback, repeat until it
 * does not run. Without WHEEL_SHUTDOWN, cancel only then, so that at most one cancel is counted,
 * as callers that count references require. With WHEEL_SHUTDOWN, the timer cannot be armed again.
 */
static int cancel_sync(struct wheel_timer *timer, unsigned long state)
{
	struct wheel_base *base = timer_base_or_warn(timer);
	unsigned long flags;
	struct wheel *wheel;
	bool running, us;
	int ret = -ENOENT;
	u64 call;

	if (unlikely(!base))
		return -EINVAL;
	wheel = base->owner;
	might_sleep_if(wheel_sleeps(wheel) || IS_ENABLED(CONFIG_PREEMPT_RT));
	do {
		base = timer_lock(timer, &flags);
		running = wheel_base_calls(base, timer);
		call = base->calls;
		us = wheel_base_calls_us(base);
		if (us && running) {
			timer_unlock(base, flags);
			return -EDEADLK;
		}
		/* In hardirq context, only the -EDEADLK case above is permitted. */
		WARN_ON_ONCE(in_hardirq());
		WRITE_ONCE(timer->base, timer->base | state);
		if ((!running || state) && !wheel_timer_cancel_locked(timer))
			ret = 0;
		timer_unlock(base, flags);
		if (!us)
			wheel_may_wait(wheel);
		if (running)
			wheel_base_wait(base, call);
	} while (running);
	return ret;
}

/**
 * wheel_timer_cancel_sync() - Cancel a timer and wait for its callback
 * @timer: timer
 *
 * When this function returns, the timer is not pending and its callback is not running, unless
 * another thread arms the timer. Do not hold a lock that the callback takes:
 *
 * ::
 *
 *	CPU 0				CPU 1
 *
 *	callback runs
 *					spin_lock_bh(&lock)
 *	spin_lock(&lock): spins		wheel_timer_cancel_sync(): waits
 *
 * Likewise, a callback of a WHEEL_PERCPU wheel must not wait for a timer of another base, whose
 * callback may be waiting for a timer of its base. Lockdep reports both.
 *
 * Context: Any except hardirq, where only a callback may call it for its own timer. For a
 * WHEEL_SLEEPABLE wheel, and for all wheels with PREEMPT_RT: process context, may sleep.
 *
 * Return:
 *
 * * %0 - the timer was pending and will not expire
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ENOENT - the timer was not pending
 * * %-EDEADLK - called from the callback of this timer or of its batch; nothing changed, and
 *   the timer was not shut down
 */
int wheel_timer_cancel_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, 0);
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel_sync);

/**
 * wheel_timer_shutdown_sync() - Shut down a timer and wait for its callback
 * @timer: timer
 *
 * Same as wheel_timer_cancel_sync(). In addition, arming the timer afterwards fails with
 * -ESHUTDOWN, also in its own callback. Call this function before you free the object that
 * contains the timer. Modelled on timer_shutdown_sync().
 *
 * Context: Same as wheel_timer_cancel_sync().
 *
 * Return: Same as wheel_timer_cancel_sync().
 */
int wheel_timer_shutdown_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, WHEEL_SHUTDOWN);
}
EXPORT_SYMBOL_GPL(wheel_timer_shutdown_sync);
