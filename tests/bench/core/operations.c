// SPDX-License-Identifier: GPL-2.0
/*
 * Single operations on all timers. The work that a cancel leaves to the next pass is not in its
 * row. The equal keys of a burst are the best case of a heap.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define LEAST_OPS	200000
#define MANY		1000000
#define MOST_REPEATS	5
#define MIN_DELAY	1000
#define IDLE_DELAY	60000
#define FEW		4096
#define OTHERS		1000

enum operation { ARM, REARM, IDLE, CANCEL, SWEEP, BURST, PACE, ALONE, OPERATIONS };

static const char *const operations[OPERATIONS] = {
	"arm", "re-arm", "idle", "cancel", "sweep", "burst", "pace", "alone",
};

static const struct contestant *c;
static u32 count;
static u32 *order;
static u32 *delay;
static u64 sample[MOST_REPEATS + 1][OPERATIONS];
static u64 *ns;

static void draw(void)
{
	u32 i;

	for (i = 0; i < count; i++) {
		u32 j = random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
		delay[i] = MIN_DELAY + random_below(MAX_DELAY - MIN_DELAY);
	}
}

static const char *cell_of(enum operation op)
{
	static char cell[64];

	snprintf(cell, sizeof(cell), "core,%s,%u,%s", operations[op], count, c->name);
	return cell;
}

static void finish(enum operation op, u64 start)
{
	ns[op] += end(start, cell_of(op), count);
}

/* All, by address; then all in random order, each to the deadline of another timer. */
static void time_arms(void)
{
	u64 start = begin();
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(i, bench_now + delay[i]);
	finish(ARM, start);
	start = begin();
	for (i = 0; i < count; i++)
		c->rearm(order[i], bench_now + delay[i]);
	finish(REARM, start);
}

/*
 * Restart the idle timeouts of all connections, then cancel them, both in random order. Count the
 * cancels of timers with different deadlines.
 */
static void time_cancels(void)
{
	u64 start;
	u32 i;

	draw();
	start = begin();
	for (i = 0; i < count; i++) {
		c->cancel(order[i]);
		c->arm(order[i], bench_now + IDLE_DELAY + i / 8192);
	}
	finish(IDLE, start);
	draw();
	for (i = 0; counting && i < count; i++)
		c->rearm(i, bench_now + delay[i]);
	start = begin();
	for (i = 0; i < count; i++)
		c->cancel(order[i]);
	finish(CANCEL, start);
	fire_at(c, bench_now + 1);
}

/* List the ticks at which timers are due, relative to now. Returns their number. */
static u32 list_due(u32 *tick)
{
	static bool due[MAX_DELAY];
	u32 ticks = 0;
	u32 i;

	memset(due, 0, sizeof(due));
	for (i = 0; i < count; i++)
		due[delay[i]] = true;
	for (i = 0; i < MAX_DELAY; i++)
		if (due[i])
			tick[ticks++] = i;
	return ticks;
}

/*
 * Advance the clock to each tick at which a timer is due, like a program that sleeps
 * until the next expiry. The field is scanned only once, at the last tick.
 */
static void time_sweep(void)
{
	static u32 tick[MAX_DELAY];
	u32 ticks = list_due(tick);
	u64 base = bench_now;
	u64 start;
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(i, base + delay[i]);
	bench_fired = 0;
	start = begin();
	for (i = c == &plain_field ? ticks - 1 : 0; i < ticks; i++)
		fire_at(c, base + tick[i]);
	finish(SWEEP, start);
	if (bench_fired != count)
		die("a sweep lost a timer");
	fire_at(c, base + MAX_DELAY);
}

/* All expire at one tick, armed in random order. */
static void time_burst(void)
{
	u64 when = bench_now + MAX_DELAY;
	u64 start;
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(order[i], when);
	bench_fired = 0;
	fire_at(c, when - 1);
	if (bench_fired)
		die("a burst was early");
	start = begin();
	fire_at(c, when);
	finish(BURST, start);
	if (bench_fired != count)
		die("a burst lost a timer");
}

/*
 * Flows of a packet scheduler that wait for their next departures: all are armed in random order,
 * four per tick on average, then all expire, with one call per tick.
 */
static void time_pace(void)
{
	u32 range = count / 4 + 16;
	u64 base = bench_now;
	u64 start;
	u32 i;

	for (i = 0; i < count; i++)
		delay[i] = 1 + random_below(range);
	bench_fired = 0;
	start = begin();
	for (i = 0; i < count; i++)
		c->arm(order[i], base + delay[i]);
	for (i = 1; i <= range; i++)
		fire_at(c, base + i);
	finish(PACE, start);
	if (bench_fired != count)
		die("a flow was lost");
}

/* A timer is armed and expires alone, with later timers pending. */
static void time_alone(void)
{
	u64 start;
	u32 i;

	for (i = 1; i < OTHERS; i++)
		c->arm(i, bench_now + (u64)(count + i) * MAX_DELAY);
	bench_fired = 0;
	start = begin();
	for (i = 0; i < count; i++) {
		c->arm(0, bench_now + MAX_DELAY);
		fire_at(c, bench_now);
		fire_at(c, bench_now + MAX_DELAY);
	}
	finish(ALONE, start);
	if (bench_fired != count)
		die("a lone timer did not expire");
	for (i = 1; i < OTHERS; i++)
		c->cancel(i);
}

static void measure_once(void)
{
	draw();
	time_arms();
	time_cancels();
	if (!c->advance)
		return;
	time_sweep();
	time_burst();
	if (c != &plain_field)
		time_pace();
	if (counting && count <= FEW && c != &plain_field)
		time_alone();
}

/**
 * measure_operations - measure each operation on a number of timers
 * @contestant: implementation
 * @timers: number of timers
 *
 * Prints samples of the time. The first one only warms up.
 */
void measure_operations(const struct contestant *contestant, u32 timers)
{
	u32 repeats = counting ? 0 : timers > MANY ? 3 : MOST_REPEATS;
	u32 rounds = counting ? 1 : (LEAST_OPS + timers - 1) / timers;
	u32 repeat, round;
	int op;

	c = contestant;
	count = timers;
	order = calloc(count, sizeof(*order));
	delay = calloc(count, sizeof(*delay));
	if (!order || !delay || !c->create(count))
		die("cannot create the timers");
	fire_at(c, bench_now + 1);
	for (repeat = 0; repeat <= repeats; repeat++) {
		ns = sample[repeat];
		for (round = 0; round < rounds; round++)
			measure_once();
	}
	for (op = 0; op < OPERATIONS; op++)
		for (repeat = 1; repeat <= repeats && sample[repeat][op]; repeat++)
			printf("%s,ns,%.3f\n", cell_of(op),
			       (double)sample[repeat][op] / ((double)count * rounds));
}
