// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the instructions of each operation of the core, under valgrind, whose counters are
 * written after each: callgrind names them by what is given here. Built against the core and
 * the contestants of any commit, of which it knows contestant.h alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <valgrind/callgrind.h>

#include "contestant.h"

#define TIMERS		4096
#define NEAREST		1000
#define FARTHEST	100000
#define ALONE		10000000
#define CAPACITY	1048576
#define OTHERS		1000

u64 bench_now = 1000000;
u32 bench_fired;

static u64 delays[TIMERS];

static void draw(void)
{
	static u64 state = 1;
	u32 i;

	for (i = 0; i < TIMERS; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		delays[i] = NEAREST + (state >> 33) % (FARTHEST - NEAREST);
	}
}

/* The counts since the last time go to a file of their own, or to nobody. */
static void begin(void)
{
	CALLGRIND_ZERO_STATS;
}

static void end(const char *contestant, const char *operation)
{
	char name[64];

	snprintf(name, sizeof(name), "%s,%u,%s", operation, TIMERS, contestant);
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
	if (bench_fired != TIMERS)
		abort();
}

static void arm_all(const struct contestant *c)
{
	u32 i;

	for (i = 0; i < TIMERS; i++)
		c->arm(i, bench_now + delays[i]);
}

/* Timers that are due one by one, beside some that are later, in a wheel for many. */
static void expire_alone(const struct contestant *c)
{
	u32 i;

	if (!c->create(CAPACITY))
		abort();
	c->advance();
	for (i = 1; i < OTHERS; i++)
		c->arm(i, bench_now + (u64)TIMERS * ALONE + i * (u64)FARTHEST);
	bench_fired = 0;
	begin();
	for (i = 0; i < TIMERS; i++) {
		c->arm(0, bench_now + ALONE);
		c->advance();
		bench_now += ALONE;
		c->advance();
	}
	end(c->name, "alone");
	if (bench_fired != TIMERS)
		abort();
}

static void count(const struct contestant *c)
{
	u32 i;

	if (!c->create(TIMERS))
		abort();
	draw();
	begin();
	arm_all(c);
	end(c->name, "arm");
	draw();
	begin();
	for (i = 0; i < TIMERS; i++)
		c->rearm(i, bench_now + delays[i]);
	end(c->name, "re-arm");
	begin();
	for (i = 0; i < TIMERS; i++)
		c->cancel(i);
	end(c->name, "cancel");
	arm_all(c);
	expire(c, "sweep", 16);
	for (i = 0; i < TIMERS; i++)
		c->arm(i, bench_now + FARTHEST);
	expire(c, "burst", FARTHEST);
	expire_alone(c);
}

int main(void)
{
	count(&hashed_default);
	count(&hashed_large);
	count(&hierarchical);
	return 0;
}
