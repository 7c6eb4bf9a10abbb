// SPDX-License-Identifier: GPL-2.0
/*
 * host [PART]: runs the tests whose name contains PART.
 *
 * SEED=n repeats the random tests of an earlier run, OPS=n sets how many
 * operations each configuration of the differential test does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ktap.h"
#include "random.h"
#include "tests.h"

u64 random_seed;
u64 differential_ops = 200000;

static u64 fresh_seed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u64)now.tv_sec * 1000000 + (u64)now.tv_nsec / 1000;
}

static const struct ktap_test *const tables[] = {
	rig_tests,
	division_tests,
	lateness_tests,
	accounting_tests,
	order_tests,
	range_tests,
	silence_tests,
	work_tests,
	exhaustive_tests,
	differential_tests,
	NULL,
};

int main(int argc, char **argv)
{
	const char *seed = getenv("SEED");
	const char *ops = getenv("OPS");

	random_seed = seed ? strtoull(seed, NULL, 0) : fresh_seed();
	if (ops)
		differential_ops = strtoull(ops, NULL, 0);
	printf("KTAP version 1\n");
	printf("# SEED=%llu OPS=%llu\n", random_seed, differential_ops);
	return ktap_run(tables, argc > 1 ? argv[1] : "") ? 1 : 0;
}
