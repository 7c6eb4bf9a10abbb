// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks of the ABI: what a time namespace makes of them.
 */
#include <linux/time_namespace.h>
#include <linux/wheel_timer.h>
#include "clock.h"

/**
 * wheel_clock_shifted - has a time namespace moved the caller's clock?
 * @clock: WHEEL_CLOCK_*
 *
 * Return: true if an absolute time of the caller's is not the wheel's.
 */
bool wheel_clock_shifted(u32 clock)
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
