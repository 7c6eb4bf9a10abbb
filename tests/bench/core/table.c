// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "table.h"

const char *const table_operations[OPERATIONS] = {
	"arm", "re-arm", "idle", "cancel", "sweep", "burst",
};

/**
 * struct bar - what a wheel shall not be slower than
 * @by_floor: times the floor; or 0
 * @by_rival: times the fastest of the others
 */
struct bar {
	double by_floor;
	double by_rival;
};

/* To 10^5, to 10^6, and beyond. */
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

/* Of an operation, in nanoseconds. */
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

/* Not of who is not there, or does not do it. */
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
 * table_rows - print what was measured, an operation a row
 * @results: of one number of timers; the samples get sorted
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

	printf("CPU time of an operation in ns, medians; a * where a wheel meets its bar.\n\n"
	       "%8s %-7s %7s", "timers", "", "floor");
	for (i = OURS; i < FLOOR; i++)
		printf(" %8s", contestants[i] ? contestants[i]->name : "-");
	printf(" %8s", "bar");
	for (i = 0; i < OURS; i++)
		printf(" %9s ", contestants[i]->name);
	printf("\n");
}

void table_foot(void)
{
	bool all = true;
	size_t i;

	for (i = 0; i < OURS; i++)
		printf("%s meets %u of %u bars.\n", contestants[i]->name, met[i],
		       cells);
	for (i = OURS; i < FLOOR; i++)
		all &= !!contestants[i];
	if (!all)
		printf("Rivals need libevent-dev, libuv1-dev, libbsd-dev, librust-tokio-util-dev\n"
		       "with Debian's cargo, libdpdk-dev with\n"
		       "pkg-config, and WAHERN=, a checkout of wahern's timeout.c.\n");
	printf("The samples of a cell were up to %.0f %% of their median apart.\n\n",
	       widest * 100);
	fputs("floor    a store into an object of 64 bytes, by the same calls in the same order\n"
	      "bar      to 10^5, to 10^6 and above; of the floor: arm 2, 1.25, 1.25, cancel 1.4,\n"
	      "         1.8, 2.4; of the fastest rival: sweep 0.6, 0.33, 0.2, the others 1\n"
	      "queues   a FIFO for each length of a timeout; bench-core's are of 99,000 lengths,\n"
	      "         but for idle\n"
	      "field    one store a timer; sweep and burst look at all timers once, so a sweep\n"
	      "         fires each of them late; it is no rival\n"
	      "hashed   /16: n / 16 buckets, but at least 256; /1: n buckets\n"
	      "arm      by address; deadlines uniform over 1 .. 100 s in ticks of 1 ms\n"
	      "re-arm   all, in random order, each to the deadline of another\n"
	      "idle     cancel and arm 60 s from now, all, in random order\n"
	      "cancel   all, in random order\n"
	      "sweep    all fire; the clock goes from due tick to due tick; time by n\n"
	      "burst    all fire at one tick, armed in random order; time by n\n\n"
	      "Left out: locks, system calls, interrupts, other CPUs. Time is virtual; the\n"
	      "libraries' loops neither read a clock nor poll. They are the distribution's\n"
	      "builds, called through shared objects; all else is built for this CPU. The\n"
	      "callback only counts. The objects lie in one array, on small pages. A burst's\n"
	      "equal keys are a heap's best case. The work that a cancel leaves to a wheel's\n"
	      "next pass is not in its row. DPDK's list keeps the time of the CPU's counter, cannot be\n"
	      "told another, and takes a lock.\n",
	      stdout);
}
