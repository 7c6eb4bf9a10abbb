// SPDX-License-Identifier: GPL-2.0
/*
 * Idle timeouts of connections, with all costs until they expire: started, postponed at equal
 * intervals within one timeout, and then left alone until they expire. The connections are spread
 * over the interval. The cost is that of a postponement, which includes its share of the start, of
 * the passes and of the expiry.
 */
#include <stdlib.h>

#include "harness.h"

/* In ticks. */
#define TIMEOUT	1000
#define ROUNDS	5

static const struct contestant *c;
static u32 count;
static u32 *order;

/* Start or postpone all timers, in the same order, while an interval passes. */
static void pass_interval(void (*set)(u32 i, u64 deadline), u32 interval)
{
	u32 tick, i = 0;

	for (tick = 1; tick <= interval; tick++) {
		fire_at(c, bench_now + 1);
		for (; i < (u64)count * tick / interval; i++)
			set(order[i], bench_now + TIMEOUT);
	}
}

static void live(u32 postponements)
{
	u32 interval = TIMEOUT / (postponements + 1), i;

	pass_interval(c->arm, interval);
	for (i = 0; i < postponements; i++)
		pass_interval(c->rearm, interval);
	for (i = 0; i < TIMEOUT; i++)
		fire_at(c, bench_now + 1);
}

/**
 * measure_idle - measure a postponement with all costs
 * @contestant: implementation
 * @timers: number of timers
 * @postponements: number of postponements per expiry
 */
void measure_idle(const struct contestant *contestant, u32 timers, u32 postponements)
{
	char cell[128];
	u64 start, ns;
	u32 i, round;

	c = contestant;
	count = timers;
	order = calloc(count, sizeof(*order));
	if (!order || !c->create(count))
		die("cannot create the timers");
	for (i = 0; i < count; i++) {
		u32 j = random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	fire_at(c, bench_now + 1);
	snprintf(cell, sizeof(cell), "core,\"postponed %ux, %s\",%u,%s", postponements,
		 counting ? "instructions" : "ns", count, c->name);
	live(postponements);
	for (round = 0; round < (counting ? 1 : ROUNDS); round++) {
		bench_fired = 0;
		start = begin();
		live(postponements);
		ns = end(start, cell, (u64)count * postponements);
		if (c->advance && bench_fired != count)
			die("not each timeout has expired once");
		if (!counting)
			printf("%s,ns,%.3f\n", cell, (double)ns / ((double)count * postponements));
	}
}
