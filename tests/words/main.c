// SPDX-License-Identifier: GPL-2.0
/*
 * words [PART...]: run the tests whose names contain one of the PARTs, by default all.
 * Environment: SEED=n uses the seed of an earlier run (the threads' timing still differs).
 * OPS=n sets the number of operations of the torture tests. SECONDS=n and RATE=n set the
 * duration and the requests per second of the load tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests.h"

static __u64 seed;

__u64 test_seed(void)
{
	return seed;
}

__u64 env_number(const char *name, __u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	static const struct ktap_test *const tables[] = {
		torture_tests, load_tests, NULL,
	};
	const struct ktap_group groups[] = {
		{ "words", NULL, tables },
		{ NULL, NULL, NULL },
	};

	(void)argc;
	seed = env_number("SEED", (__u64)getpid());
	printf("# SEED=%llu\n", seed);
	return !!ktap_run(groups, (const char *const *)argv + 1);
}
