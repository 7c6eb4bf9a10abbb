// SPDX-License-Identifier: GPL-2.0
/*
 * bench-core [TIMERS...]: what an operation of the wheel's core costs, beside
 * the heaps that programs have today, and beside the least that any structure
 * can cost: one store into a timer, in random order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

#define REPEATS		5
#define LEAST_OPS	200000
#define MIN_DELAY	1000
#define MAX_DELAY	100000
#define LINE		64

enum operation { ARM, REARM, CANCEL, SWEEP, BURST, OPERATIONS };

static const char *const operations[] = {
	"arm", "re-arm", "cancel", "sweep", "burst",
};

static const struct contestant *const contestants[] = {
	&hashed_default,
	&hashed_large,
	&hierarchical,
#ifdef HAVE_LIBEVENT
	&libevent_heap,
#endif
#ifdef HAVE_LIBUV
	&libuv_heap,
#endif
};

#define CONTESTANTS	(sizeof(contestants) / sizeof(*contestants))
#define OURS		3

u64 bench_now = 1000000;
u32 bench_fired;

static u64 samples[CONTESTANTS][OPERATIONS][REPEATS + 1];
static u64 floor_samples[REPEATS + 1];
static u64 clock_cost;
static double widest;
static u32 rounds;
static u32 count;
static u32 *order;
static u32 *delay;

static void die(const char *why)
{
	fprintf(stderr, "bench-core: %s\n", why);
	exit(EXIT_FAILURE);
}

static void *allocate(size_t size)
{
	void *memory = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);

	if (!memory)
		die("out of memory");
	return memory;
}

static u32 random_below(u32 limit)
{
	static u64 state = 1;
	u64 x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (u32)(((x >> 32) * limit) >> 32);
}

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

/* Since @start, without what it takes to read the clock. */
static u64 lap(u64 start)
{
	u64 ns = cpu_ns() - start;

	return ns > clock_cost ? ns - clock_cost : 0;
}

static u64 learn_clock_cost(void)
{
	u64 least = ~(u64)0;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		u64 ns = lap(cpu_ns());

		if (ns < least)
			least = ns;
	}
	return least;
}

static void fire_at(const struct contestant *c, u64 now)
{
	bench_now = now;
	c->advance();
}

static void time_arms(const struct contestant *c, u64 *ns)
{
	u64 start = cpu_ns();
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(i, bench_now + delay[i]);
	ns[ARM] += lap(start);
	start = cpu_ns();
	for (i = 0; i < count; i++)
		c->rearm(order[i], bench_now + delay[i]);
	ns[REARM] += lap(start);
	draw();
	start = cpu_ns();
	for (i = 0; i < count; i++)
		c->cancel(order[i]);
	ns[CANCEL] += lap(start);
	fire_at(c, bench_now + 1);
}

/* As one who sleeps until the next expiry: only ticks where one is due. */
static void time_sweep(const struct contestant *c, u64 *ns)
{
	static bool due[MAX_DELAY];
	u64 base = bench_now;
	u64 start;
	u32 i;

	memset(due, 0, sizeof(due));
	for (i = 0; i < count; i++) {
		c->arm(i, base + delay[i]);
		due[delay[i]] = true;
	}
	bench_fired = 0;
	start = cpu_ns();
	for (i = 0; i < MAX_DELAY; i++)
		if (due[i])
			fire_at(c, base + i);
	ns[SWEEP] += lap(start);
	if (bench_fired != count)
		die("a sweep lost a timer");
	fire_at(c, base + MAX_DELAY);
}

static void time_burst(const struct contestant *c, u64 *ns)
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
	start = cpu_ns();
	fire_at(c, when);
	ns[BURST] += lap(start);
	if (bench_fired != count)
		die("a burst lost a timer");
}

/* The first repeat only warms up. */
static void measure(size_t which)
{
	const struct contestant *c = contestants[which];
	unsigned int repeat;
	unsigned int k;
	u32 round;

	if (!c->create(count))
		die("a contestant could not be created");
	fire_at(c, bench_now + 1);
	for (repeat = 0; repeat <= REPEATS; repeat++) {
		u64 ns[OPERATIONS] = { };

		for (round = 0; round < rounds; round++) {
			draw();
			time_arms(c, ns);
			time_sweep(c, ns);
			time_burst(c, ns);
		}
		for (k = 0; k < OPERATIONS; k++)
			samples[which][k][repeat] = ns[k];
	}
}

static void measure_floor(void)
{
	char *objects = allocate((size_t)count * LINE);
	unsigned int repeat;
	u32 round;
	u32 i;

	memset(objects, 0, (size_t)count * LINE);
	for (repeat = 0; repeat <= REPEATS; repeat++) {
		u64 ns = 0;

		for (round = 0; round < rounds; round++) {
			u64 start;

			draw();
			start = cpu_ns();
			for (i = 0; i < count; i++)
				WRITE_ONCE(objects[(size_t)order[i] * LINE], 1);
			ns += lap(start);
		}
		floor_samples[repeat] = ns;
	}
	free(objects);
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static double median(u64 *sample)
{
	double ops = (double)count * rounds;
	double middle;

	qsort(sample + 1, REPEATS, sizeof(*sample), compare);
	middle = (double)sample[1 + REPEATS / 2];
	if ((double)(sample[REPEATS] - sample[1]) > widest * middle)
		widest = (double)(sample[REPEATS] - sample[1]) / middle;
	return middle / ops;
}

static void print_row(enum operation operation, double floor)
{
	double ns[CONTESTANTS];
	double rival = 0;
	size_t i;

	printf("%8u %-7s %7.1f", count, operations[operation], floor);
	for (i = 0; i < CONTESTANTS; i++) {
		ns[i] = median(samples[i][operation]);
		printf(" %9.1f", ns[i]);
		if (i >= OURS && (!rival || ns[i] < rival))
			rival = ns[i];
	}
	printf("   %8.1f", ns[0] / floor);
	if (rival)
		printf("  %8.2f", ns[0] / rival);
	printf("\n");
}

static void run(u32 timers)
{
	double floor;
	size_t i;

	count = timers;
	rounds = (LEAST_OPS + count - 1) / count;
	order = allocate(count * sizeof(*order));
	delay = allocate(count * sizeof(*delay));
	measure_floor();
	for (i = 0; i < CONTESTANTS; i++)
		measure(i);
	floor = median(floor_samples);
	for (i = 0; i < OPERATIONS; i++)
		print_row(i, floor);
	printf("\n");
	free(order);
	free(delay);
}

static void print_head(void)
{
	size_t i;

	printf("CPU time of an operation in ns, medians of %d; hashed/16 by the floor and by the\n"
	       "best rival of its row.\n\n%8s %-7s %7s", REPEATS, "timers", "", "floor");
	for (i = 0; i < CONTESTANTS; i++)
		printf(" %9s", contestants[i]->name);
	printf("   by floor%s\n", CONTESTANTS > OURS ? "  by rival" : "");
}

static void print_foot(void)
{
#ifndef HAVE_LIBEVENT
	printf("libevent was not measured: event2/event.h is missing (libevent-dev).\n");
#endif
#ifndef HAVE_LIBUV
	printf("libuv was not measured: uv.h is missing (libuv1-dev).\n");
#endif
	printf("The samples of a cell were up to %.0f %% of their median apart.\n\n",
	       widest * 100);
	fputs("floor    a store into each of n objects of 64 bytes, in random order\n"
	      "hashed   /16: n / 16 slots, but at least 256; /1: n slots\n"
	      "arm      by address; deadlines uniform over 1 .. 100 s in ticks of 1 ms\n"
	      "re-arm   all, in random order, each to the deadline of another\n"
	      "cancel   all, in random order\n"
	      "sweep    all fire; the clock goes from due tick to due tick; time by n\n"
	      "burst    all fire at one tick, armed in random order; time by n\n\n"
	      "Left out: locks, system calls, interrupts, other CPUs. Time is virtual; the\n"
	      "libraries' loops neither read a clock nor poll. They are the distribution's\n"
	      "builds, called through shared objects; the wheels are built for this CPU. The\n"
	      "callback only counts. The objects lie in one array, on small pages. A burst's\n"
	      "equal keys are libevent's best case. What a cancel leaves to a wheel's next\n"
	      "pass is not in its row. The numbers are this machine's: there are no limits.\n",
	      stdout);
}

int main(int argc, char **argv)
{
	static const u32 sizes[] = { 1000, 10000, 100000, 1000000 };
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	clock_cost = learn_clock_cost();
	print_head();
	for (i = 1; i < (size_t)argc; i++)
		run((u32)strtoul(argv[i], NULL, 10));
	for (i = 0; argc < 2 && i < sizeof(sizes) / sizeof(*sizes); i++)
		run(sizes[i]);
	print_foot();
	return 0;
}
