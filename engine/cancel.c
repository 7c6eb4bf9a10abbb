// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: cancelled, waited for, shut down. Kernel modules call this.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include "verbs.h"

/**
 * wheel_timer_cancel_locked - stop a timer
 * @timer: timer of a wheel that is locked by wheel_lock()
 *
 * Context: As wheel_timer_arm_locked().
 *
 * Return: As wheel_timer_cancel().
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
 * wheel_timer_cancel - stop a timer
 * @timer: timer
 *
 * Does not wait: when it returns %-EALREADY the callback still uses the timer.
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - it was pending and will not fire
 * * %-EALREADY - it is not pending, its callback runs now
 * * %-EINVAL - it was not initialized, which is a bug and warned of
 * * %-ENOENT - it is not pending
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
 * A callback may arm its timer again while we wait for it, so we come back until
 * it does not run, and cancel then: one answer stands for one cancel, as callers
 * need that count references. With WHEEL_SHUTDOWN nobody arms it again.
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
		/* Only a callback can be there and not wait: for itself. */
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
 * wheel_timer_cancel_sync - stop a timer and wait for its callback
 * @timer: timer
 *
 * When it returns, and nobody else arms the timer, the timer is not pending and
 * its callback does not run. Do not hold a lock that the callback takes:
 *
 * ::
 *
 *	CPU 0				CPU 1
 *
 *	callback runs
 *					spin_lock_bh(&lock)
 *	spin_lock(&lock): spins		wheel_timer_cancel_sync(): waits
 *
 * The same holds for a callback of a WHEEL_PERCPU wheel that waits for a timer of
 * another base: that one's callback may be waiting for ours. Lockdep reports it.
 *
 * Context: Not hardirq, but for a callback there that asks for its own timer. For a
 * WHEEL_SLEEPABLE wheel, and for all with PREEMPT_RT, process context, may sleep.
 *
 * Return:
 *
 * * %0 - it was pending and will not fire
 * * %-EINVAL - it was not initialized
 * * %-ENOENT - it was not pending
 * * %-EDEADLK - called from its own callback, or, on a wheel that takes batches, from
 *   that of its batch; nothing changed, and it is not shut down
 */
int wheel_timer_cancel_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, 0);
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel_sync);

/**
 * wheel_timer_shutdown_sync - stop a timer for good
 * @timer: timer
 *
 * As wheel_timer_cancel_sync(), and to arm the timer afterwards, in its own callback
 * as well, fails with -ESHUTDOWN. Call it before you free what the
 * timer is embedded in. The idea is that of timer_shutdown_sync().
 *
 * Context: As wheel_timer_cancel_sync().
 *
 * Return: As wheel_timer_cancel_sync().
 */
int wheel_timer_shutdown_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, WHEEL_SHUTDOWN);
}
EXPORT_SYMBOL_GPL(wheel_timer_shutdown_sync);
