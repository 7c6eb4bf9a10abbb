// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks of the ABI: what a time namespace makes of them, and which of the
 * kernel's they are.
 */
#include <linux/time_namespace.h>
#include <linux/wheel_timer.h>
#include "clock.h"

/**
 * clock_shifted - has a time namespace moved the caller's clock?
 * @clock: WHEEL_CLOCK_*
 *
 * Return: true if an absolute time of the caller's is not the wheel's.
 */
bool clock_shifted(u32 clock)
{
	struct timespec64 zero = {};

	switch (clock) {
	case WHEEL_CLOCK_MONOTONIC:
		timens_add_monotonic(&zero);
		return zero.tv_sec || zero.tv_nsec;
	case WHEEL_CLOCK_BOOTTIME:
		return timens_add_boottime_ns(0);
	default:
		return false;
	}
}

/**
 * clock_id - the kernel's name of a clock
 * @clock: WHEEL_CLOCK_*, not VIRTUAL
 *
 * Return: CLOCK_*.
 */
clockid_t clock_id(u32 clock)
{
	switch (clock) {
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
