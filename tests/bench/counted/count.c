// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions of each operation of the core with callgrind. The counters are dumped
 * after each operation, under a name that callgrind writes to its output. contestant.h is the
 * only interface, so the program can be built against the core of any commit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#include "contestant.h"

#define FEW		4096
#define MANY		131072
#define NEAREST		1000
#define FARTHEST	100000
#define ALONE		10000000
#define CAPACITY	1048576
#define OTHERS		1000

u64 bench_now = 1000000;
u32 bench_fired;

static u64 delays[MANY];
static u32 timers;

static void draw_delays(void)
{
	static u64 state = 1;
	u32 i;

	for (i = 0; i < timers; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		delays[i] = NEAREST + (state >> 33) % (FARTHEST - NEAREST);
	}
}

static void begin(void)
{
	CALLGRIND_ZERO_STATS;
}

/* Dump the instructions executed since begin(). */
static void end(const char *contestant, const char *operation)
{
	char name[64];

	snprintf(name, sizeof(name), "%s,%u,%s", operation, timers, contestant);
	CALLGRIND_DUMP_STATS_AT(name);
}

static void expire(const struct contestant *c, const char *operation, u64 step)
{
	u64 until = bench_now + FARTHEST;

	bench_fired = 0;
	begin();
	while (bench_now < until) {
		bench_now += step;
		c->advance();
	}
	end(c->name, operation);
	if (bench_fired != timers)
		abort();
}

static void arm_all(const struct contestant *c)
{
	u32 i;

	for (i = 0; i < timers; i++)
		c->arm(i, bench_now + delays[i]);
}

/* Timers that expire one by one, on a wheel with later timers and a large capacity. */
static void expire_alone(const struct contestant *c)
{
	u32 i;

	if (!c->create(CAPACITY))
		abort();
	c->advance();
	for (i = 1; i < OTHERS; i++)
		c->arm(i, bench_now + (u64)timers * ALONE + i * (u64)FARTHEST);
	bench_fired = 0;
	begin();
	for (i = 0; i < timers; i++) {
		c->arm(0, bench_now + ALONE);
		c->advance();
		bench_now += ALONE;
		c->advance();
	}
	end(c->name, "alone");
	if (bench_fired != timers)
		abort();
}

static void operate(const struct contestant *c)
{
	u32 i;

	if (!c->create(timers))
		abort();
	draw_delays();
	begin();
	arm_all(c);
	end(c->name, "arm");
	draw_delays();
	begin();
	for (i = 0; i < timers; i++)
		c->rearm(i, bench_now + delays[i]);
	end(c->name, "re-arm");
	begin();
	for (i = 0; i < timers; i++) {
		c->cancel(i);
		c->arm(i, bench_now + FARTHEST);
	}
	end(c->name, "cancel + arm");
	draw_delays();
	for (i = 0; i < timers; i++)
		c->rearm(i, bench_now + delays[i]);
	begin();
	for (i = 0; i < timers; i++)
		c->cancel(i);
	end(c->name, "cancel");
}

static void count(const struct contestant *c)
{
	u32 i;

	timers = MANY;
	operate(c);
	timers = FEW;
	operate(c);
	arm_all(c);
	expire(c, "sweep", 16);
	for (i = 0; i < timers; i++)
		c->arm(i, bench_now + FARTHEST);
	expire(c, "burst", FARTHEST);
	expire_alone(c);
}

int main(void)
{
	count(&hashed_default);
	count(&hashed_large);
	count(&hierarchical);
	if (&wahern_wheel)
		count(&wahern_wheel);
	return 0;
}
