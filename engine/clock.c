// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks of wheels: read, and the VIRTUAL one moved.
 */
#include <linux/bottom_half.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "engine.h"

static u64 next_due(struct wheel *wheel)
{
	struct wheel_base *base;
	u64 next = WHEEL_NEVER;

	for_each_base(base, wheel) {
		raw_spin_lock_irq(&base->lock);
		if (base->core.pending)
			next = min(next, wheel_time_of(&base->core,
						       base->core.next));
		raw_spin_unlock_irq(&base->lock);
	}
	return next;
}

static bool pass_in_context(struct wheel_base *base)
{
	bool more;

	if (!wheel_sleeps(base->owner))
		local_bh_disable();
	more = wheel_base_pass(base, WHEEL_RUN_NS);
	if (!wheel_sleeps(base->owner))
		local_bh_enable();
	return more;
}

/**
 * wheel_advance_to - move a VIRTUAL clock
 * @wheel: wheel
 * @now: nanoseconds; past WHEEL_MAX_TIME, as WHEEL_NEVER is, it is the clock's end
 *
 * The callbacks of all timers that are due by then have returned when this
 * returns. The clock never goes back: an earlier @now moves nothing. A clock that
 * is not VIRTUAL cannot be moved, nor can one from a callback of its wheel.
 *
 * A task that is being killed comes back early, perhaps before it has moved the clock. What
 * is due then fires when the clock is moved next, if only to where it is.
 *
 * On a wheel with an owner the clock is moved and no timer expires: the owner calls
 * wheel_step() next.
 *
 * Context: Process context. May sleep. The callbacks run here, with softirqs
 * disabled unless the wheel is WHEEL_SLEEPABLE.
 *
 * Return: no pending timer is due before this time, in nanoseconds; it may be earlier than
 * the earliest timer after one was cancelled or moved. WHEEL_NEVER if none is pending or
 * the clock cannot be moved.
 */
u64 wheel_advance_to(struct wheel *wheel, u64 now)
{
	struct wheel_base *base;
	u64 next;

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
	next = next_due(wheel);
	mutex_unlock(&wheel->advance_lock);
	return next;
}
EXPORT_SYMBOL_GPL(wheel_advance_to);

/**
 * wheel_now - read a wheel's clock
 * @wheel: wheel
 *
 * Context: Any but NMI.
 *
 * Return: nanoseconds.
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

/* The coarse clock is not further behind. */
#define COARSE_NS	(2 * TICK_NSEC)

/* A wheel's clock at the last jiffy. */
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

/**
 * wheel_far_ahead - is a time ahead, as far as the coarse clock can tell?
 * @wheel: wheel
 * @time: in nanoseconds on its clock
 *
 * Most are, and this costs next to nothing. Should the coarse clock ever lag by more
 * than is allowed for here, a timer that is overdue may come before others which were
 * armed before it.
 *
 * Return: true if it is; false if only the clock itself can tell.
 */
bool wheel_far_ahead(const struct wheel *wheel, u64 time)
{
	return time > now_coarse(wheel) + COARSE_NS;
}

/**
 * wheel_clockid - the kernel's name of a wheel's clock
 * @wheel: wheel, its clock not VIRTUAL
 *
 * Context: Any.
 *
 * Return: CLOCK_MONOTONIC and so on.
 */
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
EXPORT_SYMBOL_GPL(wheel_clockid);
