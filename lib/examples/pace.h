/* SPDX-License-Identifier: MIT */
/*
 * A clock with a rate: it advances @rate times as fast as the real clock. A wheel on
 * WHEEL_CLOCK_VIRTUAL that follows it shortens and extends all its timeouts at once.
 */
#ifndef PACE_H
#define PACE_H

#include <linux/types.h>

/**
 * struct pace - a clock with a rate
 * @now: its time when the rate was set, in nanoseconds
 * @real: the real clock at that moment
 * @rate: nanoseconds per real nanosecond; 0 while the clock is paused
 */
struct pace {
	__u64 now;
	__u64 real;
	__u32 rate;
};

static inline __u64 pace_now(const struct pace *pace, __u64 real)
{
	return pace->now + (real - pace->real) * pace->rate;
}

static inline void pace_set_rate(struct pace *pace, __u64 real, __u32 rate)
{
	pace->now = pace_now(pace, real);
	pace->real = real;
	pace->rate = rate;
}

/* Real nanoseconds from @real to the time @when of the clock; ~0: never at this rate. */
static inline __u64 pace_until(const struct pace *pace, __u64 real, __u64 when)
{
	__u64 now = pace_now(pace, real);

	if (when <= now)
		return 0;
	if (!pace->rate || when == ~0ULL)
		return ~0ULL;
	return (when - now + pace->rate - 1) / pace->rate;
}

#endif
