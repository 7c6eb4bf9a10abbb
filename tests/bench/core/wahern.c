// SPDX-License-Identifier: GPL-2.0
/* wahern's timeout.c, a hierarchical wheel with four levels of 64 lists each. */
#include <stdlib.h>
#include <timeout.h>

#include "contestant.h"

static struct timeouts *wheel;
static struct timeout *timers;

static void fire(void *arg)
{
	(void)arg;
	bench_fire();
}

static bool create(u32 count)
{
	int err;
	u32 i;

	wheel = timeouts_open(1000, &err);
	timers = calloc(count, sizeof(*timers));
	if (!wheel || !timers)
		return false;
	for (i = 0; i < count; i++) {
		timeout_init(&timers[i], TIMEOUT_ABS);
		timers[i].callback.fn = fire;
	}
	return true;
}

static void arm(u32 i, u64 deadline)
{
	timeouts_add(wheel, &timers[i], deadline);
}

static void cancel(u32 i)
{
	timeouts_del(wheel, &timers[i]);
}

static void advance(void)
{
	struct timeout *t;

	timeouts_update(wheel, bench_now);
	while ((t = timeouts_get(wheel)))
		t->callback.fn(t->callback.arg);
}

const struct contestant wahern_wheel = {
	"wahern", create, arm, arm, cancel, advance,
};
