// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions that move the deadlines of pending timers.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include "verbs.h"

/**
 * wheel_timer_rearm_locked() - Move the deadline of a pending timer of a locked wheel
 * @timer: timer of a wheel locked by wheel_lock()
 * @deadline: same as wheel_timer_rearm()
 * @slack: same as wheel_timer_rearm()
 *
 * Context: Same as wheel_timer_arm_locked().
 *
 * Return: Same as wheel_timer_rearm().
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

	if (unlikely(!timer_base_or_warn(timer)))
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

/**
 * wheel_timer_push() - Postpone a pending timer without a lock
 * @timer: timer of a wheel without a claim function
 * @deadline: new earliest time of expiry in nanoseconds on the wheel's clock
 *
 * For timeouts that are postponed by every packet. Only the deadline is modified. At the time of
 * the old deadline, the wheel finds the new one and queues the timer again, with the same slack.
 * Modelled on the timers of tokio, which are also postponed by one atomic operation.
 *
 * Context: Any, including NMI.
 *
 * Return: true if the timer is pending and will not expire before @deadline; false, with nothing
 * changed, if it is not pending, if it was not initialized, which causes a warning, or if
 * @deadline is past WHEEL_MAX_TIME.
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
		/* Pairs with the cmpxchg in claim_own(): for a given @old, one of them succeeds. */
		if (likely(try_cmpxchg(&timer->deadline, &old, deadline)))
			return true;
	}
	return old <= WHEEL_MAX_TIME;
}
EXPORT_SYMBOL_GPL(wheel_timer_push);
