/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks of the ABI: what a time namespace makes of them.
 */
#ifndef _WHEEL_DEV_CLOCK_H
#define _WHEEL_DEV_CLOCK_H

#include <linux/time_namespace.h>
#include <linux/wheel_timer.h>

/**
 * wheel_clock_shifted - has a time namespace moved the caller's clock?
 * @clock: WHEEL_CLOCK_*
 *
 * Return: true if an absolute time of the caller's is not the wheel's.
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
