// SPDX-License-Identifier: GPL-2.0
/*
 * host [PART...]: run the tests whose names contain one of the PARTs, by default all.
 *
 * Environment: SEED=n repeats the random tests of an earlier run. OPS=n sets the number of
 * random operations, LENGTH=n the length of the histories in the exhaustive tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ktap.h"
#include "random.h"
#include "tests/baselines/baselines.h"
#include "tests.h"
#include "wheel.h"

u64 random_seed;
u64 random_ops = 50000;
unsigned int history_length = 5;

static u64 fresh_seed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u64)now.tv_sec * 1000000 + (u64)now.tv_nsec / 1000;
}

static u64 number(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static const struct ktap_test *const of_the_core[] = {
	division_tests, NULL,
};

static const struct ktap_test *const of_any_delay[] = {
	ledger_tests, unbounded_tests, rest_tests, hints_tests,
	lateness_tests, accounting_tests, order_tests, range_tests,
	silence_tests, work_tests, exhaustive_tests,
	volume_tests, NULL,
};

static const struct ktap_test *const of_the_hashed[] = {
	set_back_tests, search_tests, rest_of_buckets_tests, hints_of_rounds_tests, NULL,
};

static const struct ktap_test *const of_the_bounded[] = {
	ledger_tests, bound_tests, set_back_tests, exhaustive_tests,
	volume_tests, NULL,
};

static const struct ktap_test *const of_a_baseline[] = {
	order_tests, volume_tests, NULL,
};

static const struct ktap_test *const of_the_hierarchical[] = {
	rest_of_levels_tests, NULL,
};

static const struct ktap_test *const of_the_overflow[] = {
	edge_tests, NULL,
};

static const struct ktap_group groups[] = {
	{ "core", &wheel_hashed, of_the_core },
	{ "hashed", &wheel_hashed, of_any_delay },
	{ "hashed", &wheel_hashed, of_the_hashed },
	{ "hierarchical", &wheel_hierarchical, of_any_delay },
	{ "hierarchical", &wheel_hierarchical, of_the_hierarchical },
	{ "bounded", &wheel_bounded, of_the_bounded },
	{ "overflow", &wheel_overflow, of_the_overflow },
	{ "overflow", &wheel_overflow, of_any_delay },
	{ "unsorted", &baseline_unsorted, of_a_baseline },
	{ "sorted", &baseline_sorted, of_a_baseline },
	{ "heap", &baseline_heap, of_a_baseline },
	{ "4-heap", &baseline_4_heap, of_a_baseline },
	{ }
};

int main(int argc, char **argv)
{
	(void)argc;
	random_seed = number("SEED", fresh_seed());
	random_ops = number("OPS", random_ops);
	history_length = (unsigned int)number("LENGTH", history_length);
	printf("KTAP version 1\n");
	printf("# SEED=%llu OPS=%llu LENGTH=%u\n", random_seed, random_ops,
	       history_length);
	return ktap_run(groups, (const char *const *)argv + 1) ? 1 : 0;
}
