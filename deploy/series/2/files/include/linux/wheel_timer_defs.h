/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The constants and the counters of wheels.
 */
#ifndef _LINUX_WHEEL_TIMER_DEFS_H
#define _LINUX_WHEEL_TIMER_DEFS_H

#include <linux/types.h>

/* wheel_config.clock */
#define WHEEL_CLOCK_MONOTONIC	0	/* stops during suspend */
#define WHEEL_CLOCK_BOOTTIME	1	/* continues during suspend */
#define WHEEL_CLOCK_REALTIME	2
#define WHEEL_CLOCK_TAI		3
#define WHEEL_CLOCK_VIRTUAL	4	/* advanced by wheel_advance_to() */

/* wheel_config.scheme */
#define WHEEL_DEFAULT		0	/* WHEEL_HASHED */
#define WHEEL_HASHED		1	/* one ring, any number of revolutions */
#define WHEEL_HIERARCHICAL	2	/* several levels of rings */
#define WHEEL_BOUNDED		3	/* one ring, @buckets ticks, else ERANGE */
#define WHEEL_OVERFLOW		4	/* one ring and a sorted list */

/* Limits */
#define WHEEL_MAX_BUCKETS	(1U << 20)
#define WHEEL_MAX_TIME		((1ULL << 63) - 1)

/**
 * struct wheel_stats - Counters, exact
 * @armed: timers armed
 * @fired: expiries
 * @cancelled: timers cancelled or stopped while pending
 * @pending: @armed - @fired - @cancelled
 * @rearmed: number of times that a pending timer was moved
 * @requeued: number of times that a timer whose deadline was later was queued again
 * @refused: number of times that arming failed with EDQUOT, ERANGE or ESHUTDOWN
 * @cascaded: number of times that a timer was moved to a lower level, or from a list to the ring
 * @passes: number of times that the wheel was advanced
 * @wakeups: hrtimer interrupts
 * @late: histogram of the lateness of expiries, the time from the deadline to the expiry:
 *	[i] counts those in [2^i, 2^(i+1)) ns, and [0] also those of 0
 */
struct wheel_stats {
	__u64 armed;
	__u64 fired;
	__u64 cancelled;
	__u64 pending;
	__u64 rearmed;
	__u64 requeued;
	__u64 refused;
	__u64 cascaded;
	__u64 passes;
	__u64 wakeups;
	__u64 late[64];
};

#endif
