/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A contestant that takes no batches: one timer, one call. It has a way to set a
 * timer and one to ask it; they are inlined here, so that nothing is counted
 * but what a program's own loop would be.
 */
#ifndef _BENCH_SINGLY_H
#define _BENCH_SINGLY_H

#include "contestant.h"

/* To @deadline; 0: to none. */
static inline void set_one(__u32 timer, __u64 deadline);
static inline void query_one(__u32 timer);

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		set_one(timers[i], deadlines[i]);
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		set_one(timers[i], 0);
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		query_one(timers[i]);
}

#endif
