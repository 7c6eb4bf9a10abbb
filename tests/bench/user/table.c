// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "machine.h"
#include "table.h"

static const char *const names[COLUMNS] = {
	"hashed", "hierarchical", "timerfd", "posix", "io_uring", "heap", "field",
};

/**
 * struct row - operation
 * @name: printed name
 * @rival: equivalent operation of implementations without touch words
 * @once: not measured in batches
 */
static const struct row {
	const char *name;
	enum operation rival;
	bool once;
} rows[OPERATIONS] = {
	[TOUCH]		= { "touch", REARM, true },
	[PARK]		= { "park", CANCEL, true },
	[REVIVE]	= { "revive", ARM, true },
	[KEPT]		= { "kept", ARM_CANCEL, true },
	[KEPT_RUNG]	= { "kept, rung", ARM_CANCEL, true },
	[KEPT_AGAIN]	= { "kept, again", ARM, true },
	[ARM_CANCEL]	= { "arm + cancel", ARM_CANCEL },
	[ARM]		= { "arm", ARM },
	[CANCEL]	= { "cancel", CANCEL },
	[REARM]		= { "re-arm", REARM },
	[QUERY]		= { "query", QUERY },
	[EXPIRY]	= { "expiry", EXPIRY },
	[EXPIRY_RING]	= { "expiry, ring", EXPIRY, true },
	[LONE]		= { "lone", LONE, true },
	[LONE_RING]	= { "lone, ring", LONE, true },
	[LONE_USER]	= { "lone, user", LONE, true },
	[LONE_RING_USER] = { "lone, ring, user", LONE, true },
	[BYTES]		= { "bytes", BYTES, true },
	[BYTES_WORDS]	= { "bytes, words", BYTES_WORDS, true },
};

/* The row of the batch at which io_uring's cost is lowest. */
#define BEST_BATCH	2

/**
 * struct bar - target for the wheels
 * @operation: operation of the wheels
 * @batch: row of its batch
 * @rival: column of another implementation; or 0 for an absolute target
 * @bar: minimum ratio of the cost of @rival to that of a wheel; if @rival is 0, the
 *	maximum cost of a wheel in instructions
 */
static const struct bar {
	enum operation operation;
	int batch;
	enum column rival;
	double bar;
} bars[] = {
	{ TOUCH, 0, 0, 12 },
	{ TOUCH, 0, TIMERFD, 100 },
	{ TOUCH, 0, HEAP, 5 },
	{ PARK, 0, 0, 12 },
	{ PARK, 0, TIMERFD, 100 },
	{ PARK, 0, HEAP, 5 },
	{ REVIVE, 0, 0, 12 },
	{ REVIVE, 0, TIMERFD, 100 },
	{ REVIVE, 0, HEAP, 5 },
	{ KEPT, 0, 0, 30 },
	{ KEPT, 0, HEAP, 4 },
	{ KEPT_RUNG, 0, 0, 60 },
	{ KEPT_AGAIN, 0, 0, 25 },
	{ ARM_CANCEL, 2, 0, 220 },
	{ ARM_CANCEL, 2, TIMERFD, 10 },
	{ ARM_CANCEL, 2, URING, 10 },
	{ EXPIRY_RING, 0, 0, 200 },
	{ EXPIRY_RING, 0, TIMERFD, 7 },
	{ EXPIRY_RING, 0, URING, 3 },
	{ LONE, 0, 0, 4000 },
	{ LONE_RING, 0, TIMERFD, 1 },
	{ LONE_USER, 0, 0, 4000 },
	{ LONE_RING_USER, 0, TIMERFD, 1 },
};

/* Without batches, the cost is the same for all batch sizes. Returns 0 if not measured. */
static double cost(const struct figures *figures, enum column column,
		   enum operation operation, int batch)
{
	const struct figures *f = &figures[column];
	enum operation rival = rows[operation].rival;

	if (column < OURS || rival == operation)
		return f->cost[operation][batch] ?:
		       column < OURS ? 0 : f->cost[operation][0];
	return f->cost[rival][BEST_BATCH] ?: f->cost[rival][0];
}

/* Check whether the operation was measured for one of the wheels. */
static bool has_row(const struct figures *figures, enum operation operation,
		    int batch)
{
	return cost(figures, HASHED, operation, batch) ||
	       cost(figures, HIERARCHICAL, operation, batch);
}

static void print_batch(__u32 batch, bool once)
{
	if (once)
		printf("      -");
	else
		printf(" %6u", batch);
}

static void print_row(__u32 count, const struct figures *figures,
		      enum operation operation, int batch)
{
	int i;

	printf("%8u  %-16s", count, rows[operation].name);
	print_batch(batch_of(batch), rows[operation].once);
	for (i = 0; i < COLUMNS; i++) {
		double c = cost(figures, i, operation, batch);

		if (c > 0)
			printf(" %12.1f", c);
		else
			printf(" %12s", "-");
	}
	printf("\n");
}

void print_head(void)
{
	int i;

	printf("%8s  %-16s %6s", "timers", "operation", "batch");
	for (i = 0; i < COLUMNS; i++)
		printf(" %12s", names[i]);
	printf("\n");
}

void print_rows(__u32 count, const struct figures *figures)
{
	int operation, batch;

	for (operation = 0; operation < OPERATIONS; operation++)
		for (batch = 0; batch < BATCHES; batch++)
			if (has_row(figures, operation, batch))
				print_row(count, figures, operation, batch);
}

static void print_samples(const char *mode, __u32 count, enum operation operation,
			  int batch, const struct figures figures[ROUNDS][COLUMNS])
{
	const char *unit = operation >= BYTES ? "bytes" :
			   counted ? "instructions" : "ns";
	int i, round;

	for (i = 0; i < COLUMNS; i++) {
		for (round = 0; round < ROUNDS; round++) {
			double c = cost(figures[round], i, operation, batch);

			if (c <= 0)
				continue;
			printf("csv %s,\"%s", mode, rows[operation].name);
			if (!rows[operation].once)
				printf(", batch %u", batch_of(batch));
			printf("\",%u,%s,%s,%.3f\n", count, names[i], unit, c);
		}
	}
}

/* Columns: bench, operation, timers, implementation, unit, sample. */
void print_csv(const char *mode, __u32 count,
	       const struct figures figures[ROUNDS][COLUMNS])
{
	int operation, batch;

	for (operation = 0; operation < OPERATIONS; operation++)
		for (batch = 0; batch < BATCHES; batch++)
			if (has_row(figures[MIDDLE], operation, batch))
				print_samples(mode, count, operation, batch,
					      figures);
}

static void print_verdict(const struct bar *bar, double ours, double rival)
{
	double figure = bar->rival ? rival / ours : ours;
	bool met = bar->rival ? figure >= bar->bar : figure <= bar->bar;

	if (!ours || (bar->rival && !rival))
		printf(" %14s", "-");
	else
		printf(" %9.1f %s", figure, met ? " met" : "MISS");
}

static void print_bar(__u32 count, const struct figures *figures,
		      const struct bar *bar)
{
	double rival = cost(figures, bar->rival, bar->operation, bar->batch);
	int i;

	printf("%8u  %-16s", count, rows[bar->operation].name);
	print_batch(batch_of(bar->batch), rows[bar->operation].once);
	if (bar->rival)
		printf("  >= %3.0f x %-9s", bar->bar, names[bar->rival]);
	else
		printf("  <= %3.0f            ", bar->bar);
	for (i = 0; i < OURS; i++)
		print_verdict(bar, cost(figures, i, bar->operation, bar->batch),
			      rival);
	printf("\n");
}

void print_bars(__u32 count, const struct figures *figures)
{
	size_t i;

	for (i = 0; i < sizeof(bars) / sizeof(*bars); i++)
		if (has_row(figures, bars[i].operation, bars[i].batch))
			print_bar(count, figures, &bars[i]);
}
