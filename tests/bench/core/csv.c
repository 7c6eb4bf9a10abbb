// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static void print_samples(FILE *file, const struct results *r, size_t which,
			  enum operation op)
{
	const u64 *sample = r->sample[which][op];
	u32 i;

	for (i = 1; i <= r->repeats && sample[i]; i++)
		fprintf(file, "core,%s,%u,%s,ns,%.3f\n", table_operations[op], r->count,
			contestants[which]->name,
			(double)sample[i] / ((double)r->count * r->rounds));
}

/**
 * csv_rows - append each sample to the file named by BENCH_CSV, if it is set
 * @results: results for one number of timers
 *
 * Columns: bench, operation, timers, implementation, unit, sample.
 */
void csv_rows(const struct results *results)
{
	const char *path = getenv("BENCH_CSV");
	FILE *file;
	size_t i;
	int op;

	if (!path)
		return;
	file = fopen(path, "a");
	for (i = 0; file && i < CONTESTANTS; i++)
		for (op = 0; contestants[i] && op < OPERATIONS; op++)
			print_samples(file, results, i, op);
	if (!file || fclose(file)) {
		fprintf(stderr, "bench-core: %s: %s\n", path, strerror(errno));
		exit(EXIT_FAILURE);
	}
}
