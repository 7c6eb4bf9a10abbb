// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: moved while they are pending. Kernel modules call this.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include "verbs.h"

/**
 * wheel_timer_rearm_locked - move a timer that is pending
 * @timer: timer of a wheel that is locked by wheel_lock()
 * @deadline: as wheel_timer_rearm()
 * @slack: as wheel_timer_rearm()
 *
 * Context: As wheel_timer_arm_locked().
 *
 * Return: As wheel_timer_rearm().
 */
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	if (unlikely(!base))
		return -EINVAL;
	return base_rearm(base, timer, deadline, slack);
}
EXPORT_SYMBOL_GPL(wheel_timer_rearm_locked);

/**
 * wheel_timer_rearm - move a timer that is pending
 * @timer: timer
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Among the timers that are due at the same tick it is now the last. The slack that it
 * was armed with is forgotten.
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - moved
 * * %-ENOENT - it is not pending; nothing changed
 * * %-EINVAL - it was not initialized
 * * %-ERANGE - as wheel_timer_arm(); nothing changed
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
 * wheel_timer_mod - start a timer, or move it when it is pending
 * @timer: timer
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * This is what mod_timer() does. If you count references, take one if and only if this
 * returns 0.
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - it was not pending, and is now
 * * %1 - it was pending and was moved
 * * negative - as wheel_timer_arm(); nothing changed
 */
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = arm_lock(timer, &flags);
	if (wheel_filed(timer))
		err = wheel_timer_rearm_locked(timer, deadline, slack) ?: 1;
	else
		err = wheel_timer_arm_locked(timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_mod);

/* Move a timer that is pending to an earlier deadline. */
static int base_reduce(struct wheel_base *base, struct wheel_timer *timer,
		       u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(base->stopped))
		return -ESHUTDOWN;
	base_forward_clock(base, deadline);
	err = wheel_reduce(&base->core, timer, deadline, slack);
	if (unlikely(err))
		return err;
	base_reprogram(base, timer);
	base->counts.rearmed++;
	debug_rearm(timer);
	return 0;
}

/**
 * wheel_timer_reduce - move a timer that is pending, but never later
 * @timer: timer
 * @deadline: as wheel_timer_arm(); nothing changes unless it is earlier than
 *	the present one
 * @slack: as wheel_timer_arm()
 *
 * The idea is that of timer_reduce().
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - its deadline is @deadline or earlier
 * * %-EINVAL - it was not initialized
 * * %-ENOENT - it is not pending; nothing changed
 * * %-ESHUTDOWN - the wheel is being stopped; nothing changed
 * * %-ERANGE - @deadline or @slack is past WHEEL_MAX_TIME, or a clock was set back and
 *   @deadline is later now than a bounded wheel can hold; nothing changed
 */
int wheel_timer_reduce(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	int err = arm_check_time(deadline, slack);
	struct wheel_base *base;
	unsigned long flags;

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = timer_lock(timer, &flags);
	if (!wheel_filed(timer))
		err = -ENOENT;
	else if (!err && deadline < READ_ONCE(timer->deadline))
		err = base_reduce(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_reduce);

/**
 * wheel_timer_push - move a timer that is pending later, without a lock
 * @timer: timer
 * @deadline: not before this time, in nanoseconds on the wheel's clock
 *
 * For timeouts that are pushed at each packet: the wheel looks at the timer when
 * its old time comes and files it again then. Its slack goes on to hold. Not for a
 * timer whose wheel has a claim function. The idea is that of tokio's timers,
 * whose deadlines move by one atomic operation when they move later.
 *
 * Context: Any, NMI included.
 *
 * Return: true if it is pending and will not fire before @deadline; false if it is
 * not pending, was not initialized, which is a bug and warned of, or @deadline is past
 * WHEEL_MAX_TIME: nothing changed.
 */
bool wheel_timer_push(struct wheel_timer *timer, u64 deadline)
{
	u64 old = READ_ONCE(timer->deadline);

	if (unlikely(!timer_base_or_warn(timer)))
		return false;
	/* WHEEL_IDLE makes @old greater than any time. */
	while (old < deadline) {
		if (unlikely(deadline > WHEEL_MAX_TIME))
			return false;
		/* Pairs with the exchange in claim_own(). */
		if (likely(try_cmpxchg(&timer->deadline, &old, deadline)))
			return true;
	}
	return old <= WHEEL_MAX_TIME;
}
EXPORT_SYMBOL_GPL(wheel_timer_push);
