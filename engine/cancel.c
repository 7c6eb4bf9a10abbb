// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: cancelled, waited for, shut down. What kernel modules call.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include "engine.h"

static int base_cancel(struct wheel_base *base, struct wheel_timer *timer)
{
	lockdep_assert_held(&base->lock);
	if (wheel_filed(timer)) {
		wheel_remove(&base->core, timer);
		base->counts.cancelled++;
		return 0;
	}
	return base->running == timer ? -EALREADY : -ENOENT;
}

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
 * * %-ENOENT - it is not pending
 */
int wheel_timer_cancel(struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base(timer);
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&base->lock, flags);
	err = base_cancel(base, timer);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel);

/*
 * A callback may arm its timer again while we wait for it, so we come back until
 * it is neither pending nor running.
 */
static int cancel_sync(struct wheel_timer *timer, unsigned long state)
{
	struct wheel_base *base = timer_base(timer);
	unsigned long flags;
	int ret = -ENOENT;
	bool running;
	u64 call;

	WARN_ON_ONCE(in_hardirq());
	might_sleep_if(wheel_sleeps(base->owner) ||
		       IS_ENABLED(CONFIG_PREEMPT_RT));
	do {
		raw_spin_lock_irqsave(&base->lock, flags);
		running = base->running == timer;
		call = base->calls;
		if (running && wheel_base_calls_us(base)) {
			raw_spin_unlock_irqrestore(&base->lock, flags);
			return -EDEADLK;
		}
		timer->base |= state;
		if (!base_cancel(base, timer))
			ret = 0;
		raw_spin_unlock_irqrestore(&base->lock, flags);
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
 * Context: Not hardirq. For a WHEEL_SLEEPABLE wheel, and for all with PREEMPT_RT,
 * process context, may sleep.
 *
 * Return:
 *
 * * %0 - it was pending and will not fire
 * * %-ENOENT - it was not pending
 * * %-EDEADLK - called from its own callback; nothing changed
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
 * As wheel_timer_cancel_sync(), and whoever tries to arm the timer afterwards,
 * its own callback included, gets -ESHUTDOWN. Call it before you free what the
 * timer is embedded in. The idea is that of timer_shutdown_sync().
 *
 * Context: As wheel_timer_cancel_sync().
 *
 * Return: As wheel_timer_cancel_sync().
 */
int wheel_timer_shutdown_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, TIMER_SHUTDOWN);
}
EXPORT_SYMBOL_GPL(wheel_timer_shutdown_sync);
