/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clocks of the ABI in time namespaces.
 */
#ifndef _WHEEL_DEV_CLOCK_H
#define _WHEEL_DEV_CLOCK_H

#include <linux/time_namespace.h>
#include <linux/wheel_timer.h>

/**
 * wheel_clock_shifted() - Check whether the caller's time namespace shifts a clock
 * @clock: WHEEL_CLOCK_*
 *
 * Return: true if the clock has an offset, so that absolute times of the caller are not those of
 * the wheel.
 */
static inline bool wheel_clock_shifted(u32 clock)
{
	const struct timens_offsets *by;

	if (!IS_ENABLED(CONFIG_TIME_NS))
		return false;
	by = &current->nsproxy->time_ns->offsets;
	switch (clock) {
	case WHEEL_CLOCK_MONOTONIC:
		return by->monotonic.tv_sec | by->monotonic.tv_nsec;
	case WHEEL_CLOCK_BOOTTIME:
		return by->boottime.tv_sec | by->boottime.tv_nsec;
	default:
		return false;
	}
}

#endif
