// SPDX-License-Identifier: GPL-2.0
/*
 * No timers: each operation is one store into an object. This is the minimum cost
 * of an operation. Nothing can expire, so advance() is missing.
 */
#include <stdlib.h>

#include "contestant.h"

struct timer {
	u64	deadline;
	u64	rest[7];
};

static struct timer *timers;

static bool create(u32 count)
{
	timers = aligned_alloc(sizeof(*timers), count * sizeof(*timers));
	return timers;
}

static void arm(u32 i, u64 deadline)
{
	WRITE_ONCE(timers[i].deadline, deadline);
}

static void cancel(u32 i)
{
	WRITE_ONCE(timers[i].deadline, 0);
}

const struct contestant floor_of_all = {
	"floor", create, arm, arm, cancel, NULL,
};
