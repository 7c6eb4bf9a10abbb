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
#include "wheel.h"

u64 random_seed;
u64 differential_ops = 50000;

static u64 fresh_seed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u64)now.tv_sec * 1000000 + (u64)now.tv_nsec / 1000;
}

static const struct ktap_test *const of_the_core[] = {
	rig_tests, division_tests, NULL,
};

static const struct ktap_test *const of_any_delay[] = {
	lateness_tests, accounting_tests, order_tests, range_tests,
	silence_tests, work_tests, exhaustive_tests, differential_tests, NULL,
};

static const struct ktap_test *const of_the_hashed[] = {
	set_back_tests, search_tests, NULL,
};

static const struct ktap_test *const of_the_bounded[] = {
	bound_tests, set_back_tests, exhaustive_tests, differential_tests, NULL,
};

static const struct ktap_group groups[] = {
	{ "core", &wheel_hashed, of_the_core },
	{ "hashed", &wheel_hashed, of_any_delay },
	{ "hashed", &wheel_hashed, of_the_hashed },
	{ "hierarchical", &wheel_hierarchical, of_any_delay },
	{ "bounded", &wheel_bounded, of_the_bounded },
	{ "overflow", &wheel_overflow, of_any_delay },
	{ }
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
	return ktap_run(groups, argc > 1 ? argv[1] : "") ? 1 : 0;
}
