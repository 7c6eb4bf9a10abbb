// SPDX-License-Identifier: GPL-2.0
/*
 * kept [PART...]: runs the tests whose name contains one of the PARTs. SEED=n repeats the
 * torture of an earlier run, as far as threads can be repeated, and OPS=n makes it longer;
 * SECONDS=n does so with the load, of RATE=n requests a second.
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
		{ "kept", NULL, tables },
		{ NULL, NULL, NULL },
	};

	(void)argc;
	seed = env_number("SEED", (__u64)getpid());
	printf("# SEED=%llu\n", seed);
	return !!ktap_run(groups, (const char *const *)argv + 1);
}
