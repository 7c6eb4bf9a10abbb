// SPDX-License-Identifier: GPL-2.0
#include "bench.h"

#include <linux/math64.h>
#include <linux/moduleparam.h>

static bool csv;
module_param(csv, bool, 0444);
MODULE_PARM_DESC(csv, "also print each round of each implementation as a CSV line");

static const char *const names[CONTESTANTS] = {
	[HASHED] = "hashed", [HIERARCHICAL] = "hierarchical",
	[TIMER_LIST] = "timer_list", [HRTIMER] = "hrtimer",
};

/* Columns: bench, operation, timers, implementation, unit, sample. */
void bench_csv(const struct bench *bench, const char *order, const char *op,
	       const struct figures *figures)
{
	u32 round;
	int c;

	for (c = 0; csv && c < CONTESTANTS; c++)
		for (round = 0; round < bench_rounds; round++) {
			u32 tenth;
			u64 ns = div_u64_rem(figures->round[c][round], 10, &tenth);

			if (!ns && !tenth)
				continue;
			pr_info("csv kernel,\"%s %s\",%u,%s,ns,%llu.%u\n", order, op,
				bench->count, names[c], ns, tenth);
		}
}

/* Print the time per operation on one of @cpus CPUs. */
void bench_csv_cpus(const char *op, u32 cpus, const char *name, u64 tenths)
{
	if (csv)
		pr_info("csv cpus,%s,%u,%s,ns,%llu.%llu\n", op, cpus, name,
			tenths / 10, tenths % 10);
}
