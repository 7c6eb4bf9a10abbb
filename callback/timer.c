// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions of timers with a callback: arm, move, cancel, wait for it, shut down.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include "callback.h"

/* A debug kernel warns of deadlines that have passed longer ago. */
#define LATE_NS		(3600 * (u64)NSEC_PER_SEC)

/*
 * Move a timer that is about to be armed to a base of this CPU. A pending timer, and one whose
 * callback is running, remains on its base, so that only one base has to be checked for it. The
 * task may migrate at any time: bases are selected by CPU number, but do not belong to a CPU.
 */
static noinline void timer_to_this_cpu(struct wheel_timer *timer)
{
	struct wheel *wheel = timer_base(timer)->wheel;
	struct wheel_base *ours, *base;
	unsigned long flags;

	ours = &wheel->base[raw_smp_processor_id() % wheel->count];
	if (ours == timer_base(timer))
		return;
	base = timer_lock(timer, &flags);
	if (!wheel_is_queued(timer) && callback_of(base)->running != timer)
		WRITE_ONCE(timer->base, (unsigned long)ours | (timer->base & WHEEL_SHUTDOWN));
	timer_unlock(base, flags);
}

/* Lock the base that a timer is about to be armed on. */
static inline struct wheel_base *arm_lock(struct wheel_timer *timer, unsigned long *flags)
{
	if (unlikely(timer_base(timer)->wheel->config.flags & WHEEL_PERCPU))
		timer_to_this_cpu(timer);
	return timer_lock(timer, flags);
}

/*
 * Warn of a delay that was passed in place of a deadline, on a debug kernel: it is a time long
 * past, except soon after boot. A deadline of 0 means at once.
 */
static void check_deadline(const struct wheel *wheel, u64 deadline)
{
	u64 now;

	if (!IS_ENABLED(CONFIG_DEBUG_OBJECTS) || !deadline ||
	    wheel->config.clock == WHEEL_CLOCK_VIRTUAL)
		return;
	now = wheel_now(wheel);
	WARN_ONCE(now > LATE_NS && deadline < now - LATE_NS,
		  "%s: a timer is armed for more than an hour ago: wheel_timer_arm_in() takes a delay\n",
		  wheel->config.name);
}

/* Return true if a timer is initialized and has a function. */
static bool timer_can_arm(const struct wheel_timer *timer, u64 deadline)
{
	if (!timer_base_or_warn(timer) || !timer->function)
		return false;
	check_deadline(timer_base(timer)->wheel, deadline);
	return true;
}

/**
 * wheel_timer_arm() - Arm a timer
 * @timer: timer that is not pending
 * @deadline: time of expiry in nanoseconds on the wheel's clock
 * @slack: permitted delay in nanoseconds; timers with slack can share wake-ups
 *
 * The timer expires at the first tick boundary at or after @deadline, or at a later one
 * within @slack; never before. If @deadline has passed, it expires at the next tick. A kernel with
 * CONFIG_DEBUG_OBJECTS warns if it passed more than an hour ago and is not 0. wheel_timer_arm_in()
 * takes a delay.
 *
 * Timers that are due at the same tick expire in the order in which they were armed. The same
 * applies to timers whose deadlines have passed when they are armed, with one exception: if they
 * are armed while the wheel's interrupt is delayed, because interrupts were disabled for a long
 * time, they may expire in the order of their deadlines' ticks.
 *
 * Context: Any context including hardirq, except NMI. No lock of the scheduler, of hrtimers or of
 * timekeeping may be held.
 *
 * Return:
 *
 * * %0 - armed
 * * %-EBUSY - @timer is pending; nothing changed
 * * %-EINVAL - @timer was not initialized, which causes a warning; or it has no function
 * * %-ERANGE - @deadline or @slack is past WHEEL_MAX_TIME, @deadline exceeds the range of a
 *   bounded wheel, or the clock is at its last tick
 * * %-EDQUOT - the number of pending timers has reached the wheel's limit
 * * %-ESHUTDOWN - the wheel was stopped or @timer was shut down
 */
int wheel_timer_arm(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_can_arm(timer, deadline)))
		return -EINVAL;
	base = arm_lock(timer, &flags);
	err = base_arm(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm);

/**
 * wheel_timer_rearm() - Move the deadline of a pending timer
 * @timer: timer
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm(); replaces the previous slack
 *
 * The timer becomes the last one of those that are due at the same tick.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - moved
 * * %-ENOENT - @timer is not pending; nothing changed
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ERANGE - same as wheel_timer_arm(); nothing changed
 * * %-ESHUTDOWN - the wheel is being stopped; nothing changed
 */
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = timer_lock(timer, &flags);
	err = base_rearm(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_rearm);

/**
 * wheel_timer_mod() - Arm a timer, or move its deadline if it is pending
 * @timer: timer
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm()
 *
 * Equivalent to mod_timer(). A caller that counts references must take one if and only if this
 * function returns 0.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - the timer was not pending and was armed
 * * %1 - the timer was pending and was moved
 * * negative - an error of wheel_timer_arm(); nothing changed
 */
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_can_arm(timer, deadline)))
		return -EINVAL;
	base = arm_lock(timer, &flags);
	if (wheel_is_queued(timer))
		err = wheel_timer_rearm_locked(timer, deadline, slack) ?: 1;
	else
		err = wheel_timer_arm_locked(timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_mod);

/* Return true if call number @call has not returned yet. A later call does not count. */
static bool callback_still_runs(struct callback_base *callback, u64 call)
{
	unsigned long flags;
	bool calls;

	raw_spin_lock_irqsave(&callback->base->lock, flags);
	calls = callback->running && callback->calls == call;
	raw_spin_unlock_irqrestore(&callback->base->lock, flags);
	return calls;
}

/*
 * Wait until the callback that was running when @calls was @call has returned. With
 * PREEMPT_RT, the waiting task may have preempted a callback in softirq context, so it must sleep
 * instead of spinning. All stores of the callback are visible afterwards.
 */
static void callback_wait(struct callback_base *callback, u64 call, bool sleeps)
{
	unsigned long flags;

	if (sleeps) {
		wait_event(callback->idle, !callback_still_runs(callback, call));
		return;
	}
	while (READ_ONCE(callback->running) && READ_ONCE(callback->calls) == call)
		cpu_relax();
	/*
	 * Acquire the lock, to order the callback's stores before later reads of the caller. Pairs
	 * with the release of the lock in callback_call() after it has cleared @running.
	 */
	raw_spin_lock_irqsave(&callback->base->lock, flags);
	raw_spin_unlock_irqrestore(&callback->base->lock, flags);
}

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
	err = callback_cancel(base, timer);
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
	struct callback_base *callback;
	bool running, us, sleeps;
	unsigned long flags;
	int ret = -ENOENT;
	u64 call;

	if (unlikely(!base))
		return -EINVAL;
	sleeps = wheel_sleeps(base->wheel) || IS_ENABLED(CONFIG_PREEMPT_RT);
	might_sleep_if(sleeps);
	do {
		base = timer_lock(timer, &flags);
		callback = base->data;
		running = callback->running == timer;
		call = callback->calls;
		us = callback_is_us(callback);
		if (us && running) {
			timer_unlock(base, flags);
			return -EDEADLK;
		}
		/* In hardirq context, only the -EDEADLK case above is permitted. */
		WARN_ON_ONCE(in_hardirq());
		WRITE_ONCE(timer->base, timer->base | state);
		if ((!running || state) && !base_cancel(base, timer))
			ret = 0;
		timer_unlock(base, flags);
		if (!us)
			callback_may_wait(callback);
		if (running)
			callback_wait(callback, call, sleeps);
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
 * * %-EDEADLK - called from the callback of this timer; nothing changed, and the timer was not
 *   shut down
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
