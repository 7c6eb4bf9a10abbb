// SPDX-License-Identifier: MIT
/*
 * libwheel-test [PART...]: runs the tests whose names contain one of the PARTs, by default all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../tests/splitmix64.h"
#include "test.h"

static __u64 seed;

bool expect_equal(long long expected, long long seen, const char *file,
		  int line, const char *text)
{
	if (expected != seen)
		printf("# expected %lld, saw %lld\n", expected, seen);
	return ktap_expect(expected == seen, file, line, text);
}

__u64 test_seed(void)
{
	return seed;
}

__u64 random_below(__u64 *state, __u64 limit)
{
	return splitmix64(state) % limit;
}

static const struct ktap_test *const tables[] = {
	options_tests, table_tests, slots_tests, promise_tests,
	loop_tests, sleep_tests, growth_tests, end_tests, word_tests, timeout_tests,
	race_cancel_tests, race_word_tests, crowd_tests,
	clock_tests, lull_tests, fork_tests, contract_tests, NULL,
};

int main(int argc, char **argv)
{
	static const struct ktap_group groups[] = { { "", NULL, tables }, { } };
	const char *given = getenv("SEED");

	(void)argc;
	seed = given ? strtoull(given, NULL, 0) :
		       (__u64)time(NULL) << 20 ^ (__u64)getpid();
	printf("KTAP version 1\n# SEED=0x%llx\n", seed);
	return !!ktap_run(groups, (const char *const *)argv + 1);
}
