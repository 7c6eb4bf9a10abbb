// SPDX-License-Identifier: GPL-2.0
/*
 * No data structure: the program scans an array of deadlines. If a program scans rarely,
 * timers expire late; if it scans often, most wake-ups are unnecessary. This benchmark scans
 * when the timers are due. No file descriptor is needed.
 */
#include "contestant.h"
#include "machine.h"

static __u64 *due;
static __u32 fields;

static void open_field(__u32 count, unsigned int with)
{
	(void)with;
	due = allocate(count * sizeof(*due));
	fields = count;
}

static void close_field(void)
{
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		__atomic_store_n(&due[timers[i]], deadlines[i], __ATOMIC_RELAXED);
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		__atomic_store_n(&due[timers[i]], 0, __ATOMIC_RELAXED);
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		if (!__atomic_load_n(&due[timers[i]], __ATOMIC_RELAXED))
			die("a timer has no deadline");
}

static __u32 take(__u32 batch)
{
	__u64 time = now();
	__u32 taken = 0;
	__u32 i;

	(void)batch;
	for (i = 0; i < fields; i++) {
		if (!due[i] || due[i] > time)
			continue;
		due[i] = 0;
		taken++;
	}
	return taken;
}

const struct contestant field = {
	.name = "field",
	.open = open_field, .close = close_field, .take = take,
	.arm = arm, .rearm = arm, .cancel = cancel, .query = query,
};
