// SPDX-License-Identifier: GPL-2.0
/*
 * No data structure: each timer is an array element that contains its deadline, and a
 * scan of the whole array finds the due timers. No other implementation arms at a lower
 * cost. The disadvantages are the cost of a scan, and the latency of a timer that becomes
 * due just after one.
 */
#include <stdlib.h>

#include "contestant.h"

static u64 *deadlines;
static u32 fields;

static bool create(u32 count)
{
	deadlines = calloc(count, sizeof(*deadlines));
	fields = count;
	return deadlines;
}

static void arm(u32 i, u64 deadline)
{
	WRITE_ONCE(deadlines[i], deadline);
}

static void cancel(u32 i)
{
	WRITE_ONCE(deadlines[i], 0);
}

static void look(void)
{
	u32 i;

	for (i = 0; i < fields; i++) {
		if (!deadlines[i] || deadlines[i] > bench_now)
			continue;
		deadlines[i] = 0;
		bench_fire();
	}
}

const struct contestant plain_field = {
	"field", create, arm, arm, cancel, look,
};
