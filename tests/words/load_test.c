// SPDX-License-Identifier: GPL-2.0
/*
 * Check that the timers of a busy server cause few passes, kicks and queued timers.
 * The clock is simulated, so the results are reproducible.
 */
#include <stdio.h>

#include "load.h"
#include "tests.h"

#define MS	1000000ULL
#define SEC	1000000000ULL

static struct result measure(const struct load *load)
{
	struct result result = load_run(load);

	printf("# %llu requests: %llu passes in a second at most, %llu kicks, ",
	       result.requests, result.passes, result.kicks);
	printf("%llu queued, %llu fired\n", result.filed, result.fired);
	return result;
}

static void none_wrong(const struct result *result)
{
	if (result->wrong)
		ktap_fail(result->wrong);
}

/* Requests of 1/1000 of the timeout: at most two passes per second, one kick per timeout. */
static void steady(enum order order)
{
	struct load load = {
		.rate = env_number("RATE", 100000), .life = MS, .timeout = SEC, .order = order,
		.seconds = env_number("SECONDS", 10),
	};
	struct result result = measure(&load);

	if (result.passes > 2)
		ktap_fail("more than two passes in a second");
	if (result.kicks > load.seconds)
		ktap_fail("more than one kick per timeout");
	none_wrong(&result);
}

static void words_steady_last_first(void)
{
	steady(LAST_FIRST);
}

static void words_steady_first_first(void)
{
	steady(FIRST_FIRST);
}

static void words_steady_random(void)
{
	steady(RANDOM);
}

/* Requests of 1/10 of the timeout; some expire: one pass per tick, few queued timers. */
static void words_some_expire(void)
{
	struct load load = {
		.rate = env_number("RATE", 100000), .life = 100 * MS, .timeout = SEC, .expires = 1,
		.order = RANDOM, .seconds = env_number("SECONDS", 10),
	};
	struct result result = measure(&load);

	if (result.passes > 1010)
		ktap_fail("more than one pass per tick");
	if (result.filed > result.requests / 20)
		ktap_fail("more than 5 % were queued");
	if (!result.fired)
		ktap_fail("none expired");
	none_wrong(&result);
}

static void mixed(__u32 brief)
{
	struct load load = {
		.rate = env_number("RATE", 100000), .life = MS, .timeout = SEC, .brief = brief,
		.order = RANDOM, .seconds = env_number("SECONDS", 10),
	};
	struct result result = measure(&load);

	if (result.kicks > result.requests / 1000)
		ktap_fail("more than one kick per 1000 requests");
	none_wrong(&result);
}

static void words_mixed_1_percent(void)
{
	mixed(10);
}

static void words_mixed_10_percent(void)
{
	mixed(100);
}

static void words_mixed_50_percent(void)
{
	mixed(500);
}

const struct ktap_test load_tests[] = {
	{ "words_steady_last_first", words_steady_last_first },
	{ "words_steady_first_first", words_steady_first_first },
	{ "words_steady_random", words_steady_random },
	{ "words_some_expire", words_some_expire },
	{ "words_mixed_1_percent", words_mixed_1_percent },
	{ "words_mixed_10_percent", words_mixed_10_percent },
	{ "words_mixed_50_percent", words_mixed_50_percent },
	{ NULL, NULL }
};
