/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wake-up of a program that keeps its timers itself: a timerfd, watched by an edge-triggered
 * epoll, so that it need not be read. With WITH_WAIT, the program passes the time to epoll_pwait2()
 * instead.
 */
#ifndef _BENCH_ALARM_H
#define _BENCH_ALARM_H

#include <linux/types.h>
#include <stdbool.h>

/* The time for which the timerfd is set, or 0. */
extern __u64 alarm_time;

void alarm_open(unsigned int with);
void alarm_close(void);
void alarm_set(__u64 time);
/* Returns true if the timerfd has expired since it was set. */
bool alarm_rang(void);
/* Sleep until @time. */
void alarm_sleep(__u64 time);

/*
 * Request a wake-up at @time. If the timerfd is set for an earlier time, it expires once
 * unnecessarily.
 */
static inline void alarm_at(__u64 time)
{
	if (!alarm_time || time < alarm_time)
		alarm_set(time);
}

#endif
