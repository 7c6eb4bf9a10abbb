// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks of wheels.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include "engine.h"

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
		return ktime_get_boottime_ns() + wheel->config.shift_ns;
	case WHEEL_CLOCK_REALTIME:
		return ktime_get_real_ns();
	case WHEEL_CLOCK_TAI:
		return ktime_get_clocktai_ns();
	default:
		return ktime_get_ns() + wheel->config.shift_ns;
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
		return ktime_get_coarse_boottime_ns() + wheel->config.shift_ns;
	case WHEEL_CLOCK_REALTIME:
		return ktime_get_coarse_real_ns();
	case WHEEL_CLOCK_TAI:
		return ktime_get_coarse_clocktai_ns();
	default:
		return ktime_get_coarse_ns() + wheel->config.shift_ns;
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

/*
 * Convert a time of a wheel's clock, which is not VIRTUAL, to one of wheel_clockid(). If the
 * wheel's clock is behind, its last times are beyond the range of an hrtimer.
 */
ktime_t wheel_ktime(const struct wheel *wheel, u64 time)
{
	u64 kernels = time - wheel->config.shift_ns;

	return wheel->config.shift_ns < 0 ? min_t(u64, kernels, KTIME_MAX) : kernels;
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
