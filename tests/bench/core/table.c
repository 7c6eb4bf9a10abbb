// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "table.h"

const char *const table_operations[OPERATIONS] = {
	"arm", "re-arm", "idle", "cancel", "sweep", "burst",
};

/**
 * struct bar - maximum time of a wheel's operation
 * @by_floor: multiple of the floor; or 0
 * @by_rival: multiple of the fastest other implementation; valid if @by_floor is 0
 */
struct bar {
	double by_floor;
	double by_rival;
};

/* For up to 10^5 timers, up to 10^6, and more. */
static const struct bar bars[OPERATIONS][3] = {
	[ARM]	= { { 2, 0 }, { 1.25, 0 }, { 1.25, 0 } },
	[REARM]	= { { 0, 1 }, { 0, 1 }, { 0, 1 } },
	[IDLE]	= { { 0, 1 }, { 0, 1 }, { 0, 1 } },
	[CANCEL] = { { 1.4, 0 }, { 1.8, 0 }, { 2.4, 0 } },
	[SWEEP]	= { { 0, 0.6 }, { 0, 0.33 }, { 0, 0.2 } },
	[BURST]	= { { 0, 1 }, { 0, 1 }, { 0, 1 } },
};

static unsigned int met[OURS];
static unsigned int cells;
static double widest;

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Returns nanoseconds per operation. */
static double median(const struct results *r, u64 *sample)
{
	double middle;
	double spread;

	qsort(sample + 1, r->repeats, sizeof(*sample), compare);
	middle = (double)sample[1 + r->repeats / 2];
	spread = (double)(sample[r->repeats] - sample[1]);
	if (middle > 0 && spread > widest * middle)
		widest = spread / middle;
	return middle / ((double)r->count * r->rounds);
}

static double bar_of(const struct results *r, enum operation op,
		     double floor, double rival)
{
	unsigned int size = (r->count > 100000) + (r->count > 1000000);
	const struct bar *bar = &bars[op][size];

	return bar->by_floor > 0 ? bar->by_floor * floor : bar->by_rival * rival;
}

/* Print "-" if the library is missing or does not support the operation. */
static void print_ns(int width, double ns)
{
	if (ns > 0)
		printf(" %*.1f", width, ns);
	else
		printf(" %*s", width, "-");
}

static double print_rivals(const double *ns)
{
	double fastest = 0;
	size_t i;

	for (i = OURS; i < FLOOR; i++) {
		print_ns(8, ns[i]);
		if (i != FIELD && ns[i] > 0 &&
		    (fastest <= 0 || ns[i] < fastest))
			fastest = ns[i];
	}
	return fastest;
}

static void print_row(struct results *r, enum operation op)
{
	double ns[CONTESTANTS] = { };
	double bar;
	size_t i;

	for (i = 0; i < CONTESTANTS; i++)
		if (contestants[i])
			ns[i] = median(r, r->sample[i][op]);
	printf("%8u %-7s", r->count, table_operations[op]);
	print_ns(7, ns[FLOOR]);
	bar = bar_of(r, op, ns[FLOOR], print_rivals(ns));
	print_ns(8, bar);
	for (i = 0; i < OURS; i++) {
		printf(" %9.1f%c", ns[i], ns[i] <= bar ? '*' : ' ');
		met[i] += ns[i] <= bar;
	}
	printf("\n");
	cells++;
}

/**
 * table_rows - print the results, one row per operation
 * @results: results for one number of timers; the samples are sorted
 */
void table_rows(struct results *results)
{
	size_t i;

	for (i = 0; i < OPERATIONS; i++)
		print_row(results, i);
	printf("\n");
}

void table_head(void)
{
	size_t i;

	printf("CPU time of an operation in ns, medians; * marks a wheel that meets its target.\n\n"
	       "%8s %-7s %7s", "timers", "", "floor");
	for (i = OURS; i < FLOOR; i++)
		printf(" %8s", contestants[i] ? contestants[i]->name : "-");
	printf(" %8s", "target");
	for (i = 0; i < OURS; i++)
		printf(" %9s ", contestants[i]->name);
	printf("\n");
}

void table_foot(void)
{
	bool all = true;
	size_t i;

	for (i = 0; i < OURS; i++)
		printf("%s meets %u of %u targets.\n", contestants[i]->name, met[i],
		       cells);
	for (i = OURS; i < FLOOR; i++)
		all &= !!contestants[i];
	if (!all)
		printf("The other implementations need libevent-dev, libuv1-dev, libbsd-dev,\n"
		       "and WAHERN=, a checkout of wahern's timeout.c.\n");
	printf("The largest spread of a cell's samples was %.0f %% of their median.\n\n",
	       widest * 100);
	fputs("floor    a store into an object of 64 bytes, in the same order\n"
	      "target   for up to 10^5 timers, 10^6, and more. Times the floor: arm 2, 1.25,\n"
	      "         1.25, cancel 1.4, 1.8, 2.4. Times the fastest other implementation: sweep\n"
	      "         0.6, 0.33, 0.2, all others 1\n"
	      "queues   a FIFO per timeout length; 99,000 different lengths, except in idle\n"
	      "field    one store per timer; sweep and burst scan all timers once, so a sweep\n"
	      "         expires each of them late; not used for targets\n"
	      "hashed   /16: n / 16 buckets, but at least 256; /1: n buckets\n"
	      "arm      all, by address; deadlines uniform over 1 .. 100 s in ticks of 1 ms\n"
	      "re-arm   all, in random order, each to the deadline of another timer\n"
	      "idle     cancel and arm 60 s from now, all, in random order\n"
	      "cancel   all, in random order\n"
	      "sweep    all expire; the clock advances from due tick to due tick; time / n\n"
	      "burst    all expire at one tick, armed in random order; time / n\n\n"
	      "Not included: locks, system calls, interrupts, other CPUs. Time is virtual; the\n"
	      "libraries' loops neither read a clock nor poll. The libraries are the builds of\n"
	      "the distribution, called through shared objects; all other code is built for this\n"
	      "CPU. The callback only counts. The objects are in one array, on small pages. The\n"
	      "equal keys of a burst are the best case of a heap. The work that a cancel leaves\n"
	      "to the next pass is not in its row.\n",
	      stdout);
}
