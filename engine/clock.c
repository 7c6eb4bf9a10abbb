// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks of wheels: read them, and move the VIRTUAL one.
 */
#include <linux/bottom_half.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "engine.h"

static bool pass_in_context(struct wheel_base *base)
{
	bool more;

	if (!wheel_sleeps(base->wheel))
		local_bh_disable();
	more = wheel_base_pass(base);
	if (!wheel_sleeps(base->wheel))
		local_bh_enable();
	return more;
}

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
 * On a wheel with an owner, the clock is moved, but no timer expires: the owner must then call
 * wheel_step().
 *
 * Context: Process context. May sleep. The callbacks run in this context, with softirqs
 * disabled unless the wheel is WHEEL_SLEEPABLE.
 *
 * Return: a time in nanoseconds before which no pending timer is due. It may be earlier than
 * the earliest timer if a timer was cancelled or moved. WHEEL_NEVER if no timer is pending,
 * the clock cannot be moved, or a fatal signal ended the wait for another call.
 */
u64 wheel_advance_to(struct wheel *wheel, u64 now)
{
	struct wheel_base *base;
	u64 next = WHEEL_NEVER;

	if (wheel->config.clock != WHEEL_CLOCK_VIRTUAL || wheel_calls_us(wheel))
		return WHEEL_NEVER;

	if (mutex_lock_killable(&wheel->advance_lock))
		return WHEEL_NEVER;
	now = min_t(u64, now, WHEEL_MAX_TIME);
	WRITE_ONCE(wheel->virtual_now, max(now, wheel->virtual_now));
	for_each_base(base, wheel) {
		while (!base_is_owned(base) && pass_in_context(base) &&
		       !fatal_signal_pending(current))
			cond_resched();
	}
	for_each_base(base, wheel) {
		raw_spin_lock_irq(&base->lock);
		next = min(next, base_next(base));
		raw_spin_unlock_irq(&base->lock);
	}
	mutex_unlock(&wheel->advance_lock);
	return next;
}
EXPORT_SYMBOL_GPL(wheel_advance_to);

/**
 * wheel_now() - Read the clock of a wheel
 * @wheel: wheel
 *
 * Context: Any except NMI.
 *
 * Return: current time in nanoseconds.
 */
u64 wheel_now(const struct wheel *wheel)
{
	switch (wheel->config.clock) {
	case WHEEL_CLOCK_VIRTUAL:
		return READ_ONCE(wheel->virtual_now);
	case WHEEL_CLOCK_BOOTTIME:
		return ktime_get_boottime_ns();
	case WHEEL_CLOCK_REALTIME:
		return ktime_get_real_ns();
	case WHEEL_CLOCK_TAI:
		return ktime_get_clocktai_ns();
	default:
		return ktime_get_ns();
	}
}
EXPORT_SYMBOL_GPL(wheel_now);

/* Upper limit on the lag of the coarse clock. */
#define COARSE_NS	(2 * TICK_NSEC)

/* Read the coarse version of a wheel's clock, which is updated once per jiffy. */
static u64 now_coarse(const struct wheel *wheel)
{
	switch (wheel->config.clock) {
	case WHEEL_CLOCK_VIRTUAL:
		return wheel_now(wheel);
	case WHEEL_CLOCK_BOOTTIME:
		return ktime_get_coarse_boottime_ns();
	case WHEEL_CLOCK_REALTIME:
		return ktime_get_coarse_real_ns();
	case WHEEL_CLOCK_TAI:
		return ktime_get_coarse_clocktai_ns();
	default:
		return ktime_get_coarse_ns();
	}
}

/*
 * Check by the coarse clock, which costs almost nothing to read, whether a time is in the future.
 * If it returns false, the exact clock must be read. If the coarse clock ever lags by more than
 * COARSE_NS, an overdue timer may expire before others that were armed before it.
 */
bool wheel_far_ahead(const struct wheel *wheel, u64 time)
{
	return time > now_coarse(wheel) + COARSE_NS;
}

/* Return the clockid_t of a wheel's clock, which is not VIRTUAL. */
clockid_t wheel_clockid(const struct wheel *wheel)
{
	switch (wheel->config.clock) {
	case WHEEL_CLOCK_BOOTTIME:
		return CLOCK_BOOTTIME;
	case WHEEL_CLOCK_REALTIME:
		return CLOCK_REALTIME;
	case WHEEL_CLOCK_TAI:
		return CLOCK_TAI;
	default:
		return CLOCK_MONOTONIC;
	}
}
