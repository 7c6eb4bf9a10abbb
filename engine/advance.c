// SPDX-License-Identifier: GPL-2.0
/*
 * Move the clock of a wheel, if it is VIRTUAL.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "engine.h"

/**
 * wheel_advance_to() - Move a VIRTUAL clock and expire the due timers
 * @wheel: wheel
 * @now: new time in nanoseconds; limited to WHEEL_MAX_TIME, also if it is WHEEL_NEVER
 *
 * When this function returns, the callbacks of all timers due by @now have returned. The clock
 * never goes back: an earlier @now leaves it unchanged. Only a VIRTUAL clock can be moved, and
 * not by a callback of its wheel.
 *
 * If the task receives a fatal signal, the function returns early, possibly before it has moved the
 * clock. The remaining due timers expire at the next call, even if it does not move the clock.
 *
 * If the owner has no run operation, the clock is moved, but no timer expires: the owner must then
 * call wheel_step().
 *
 * Context: Process context. May sleep. Callbacks run in this context, with softirqs disabled unless
 * they may sleep.
 *
 * Return: a time in nanoseconds before which no pending timer is due. It may be earlier than
 * the earliest timer if a timer was cancelled or moved. WHEEL_NEVER if no timer is pending,
 * the clock cannot be moved, or a fatal signal ended the wait for another call.
 */
u64 wheel_advance_to(struct wheel *wheel, u64 now)
{
	const struct wheel_owner *owner = wheel->owner;
	struct wheel_base *base;
	u64 next = WHEEL_NEVER;

	if (wheel->config.clock != WHEEL_CLOCK_VIRTUAL || wheel_calls_us(wheel))
		return WHEEL_NEVER;

	if (mutex_lock_killable(&wheel->advance_lock))
		return WHEEL_NEVER;
	now = min_t(u64, now, WHEEL_MAX_TIME);
	WRITE_ONCE(wheel->virtual_now, max(now, wheel->virtual_now));
	for_each_base(base, wheel) {
		while (owner->run && owner->run(base->data) && !fatal_signal_pending(current))
			cond_resched();
	}
	for_each_base(base, wheel) {
		base_lock(base);
		next = min(next, base_next(base));
		base_unlock(base);
	}
	mutex_unlock(&wheel->advance_lock);
	return next;
}
EXPORT_SYMBOL_GPL(wheel_advance_to);
