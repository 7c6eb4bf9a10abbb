// SPDX-License-Identifier: MIT
/*
 * libwheel-test [PART]: runs the tests whose names contain PART.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

/*
 * Limit of a single run, in seconds by the clock. It must not expire on a busy machine:
 * tests/vm/limit and tests/vm/boot detect a test that hangs, by its own time.
 */
#define TIMEOUT_S	36000

enum verdict { PASSED, FAILED, SKIPPED = 4 };

/* The running test, and its number in the report. */
static const struct test *running;
static int running_number;

static bool failed;
static __u64 seed;

bool expect(bool met, const char *file, int line, const char *text)
{
	if (!met) {
		printf("# %s:%d: expected %s\n", file, line, text);
		failed = true;
	}
	return met;
}

bool expect_equal(long long expected, long long seen, const char *file,
		  int line, const char *text)
{
	if (expected != seen) {
		printf("# %s:%d: expected %s to be %lld, saw %lld\n", file,
		       line, text, expected, seen);
		failed = true;
	}
	return expected == seen;
}

void give_up(void)
{
	fflush(stdout);
	_exit(FAILED);
}

void skip(const char *why)
{
	printf("ok %d %s # SKIP %s\n", running_number, running->name, why);
	fflush(stdout);
	_exit(SKIPPED);
}

__u64 test_seed(void)
{
	return seed;
}

/* The finalizer of splitmix64. */
__u64 random_below(__u64 *state, __u64 limit)
{
	__u64 x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) % limit;
}

static int run(const struct test *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(TIMEOUT_S);
		test->run();
		exit(failed ? FAILED : PASSED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return FAILED;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static const struct test *const tables[] = {
	options_tests, table_tests, slots_tests, promise_tests,
	loop_tests, sleep_tests, growth_tests, end_tests, word_tests,
	race_cancel_tests, race_word_tests, crowd_tests,
	clock_tests, lull_tests, fork_tests, share_tests, contract_tests,
};

/* Counts the tests, or runs them and counts those that failed. */
static int for_all(const char *part, bool really)
{
	const struct test *test;
	int failures = 0;
	int number = 0;
	size_t i;

	for (i = 0; i < COUNT(tables); i++) {
		for (test = tables[i]; test->name; test++) {
			int status;

			if (!strstr(test->name, part))
				continue;
			number++;
			if (!really)
				continue;
			running = test;
			running_number = number;
			status = run(test);
			/* A skipped test has reported itself, with the reason. */
			if (status == SKIPPED)
				continue;
			failures += status != PASSED;
			printf("%sok %d %s\n", status == PASSED ? "" : "not ",
			       number, test->name);
		}
	}
	return really ? failures : number;
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	const char *given = getenv("SEED");

	seed = given ? strtoull(given, NULL, 0) :
		       (__u64)time(NULL) << 20 ^ (__u64)getpid();
	printf("KTAP version 1\n1..%d\n", for_all(part, false));
	printf("# SEED=0x%llx\n", seed);
	return !!for_all(part, true);
}
