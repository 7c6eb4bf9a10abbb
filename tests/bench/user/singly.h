/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations of an implementation without batches: one system call per timer. The
 * including file defines set_one() and query_one(). They are inlined, so the counted
 * instructions are those of a program's loop.
 */
#ifndef _BENCH_SINGLY_H
#define _BENCH_SINGLY_H

#include "contestant.h"

/* Arm @timer for @deadline; 0 cancels it. */
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
