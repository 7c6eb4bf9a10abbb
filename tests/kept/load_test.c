// SPDX-License-Identifier: GPL-2.0
/*
 * Check that the kept timers of a busy server cause few passes, kicks and queued timers.
 * The clock is simulated, so the results are reproducible.
 */
#include <stdio.h>

#include "load.h"
#include "tests.h"

#define MS	1000000ULL
#define SEC	1000000000ULL

static struct heard hear(const struct load *load)
{
	struct heard heard = load_run(load);

	printf("# %llu requests: %llu passes in a second at most, %llu kicks, ",
	       heard.requests, heard.passes, heard.kicks);
	printf("%llu queued, %llu fired\n", heard.filed, heard.fired);
	return heard;
}

static void none_wrong(const struct heard *heard)
{
	if (heard->wrong)
		ktap_fail(heard->wrong);
}

/* Requests of 1/1000 of the timeout: at most two passes per second, one kick per timeout. */
static void steady(enum order order)
{
	struct load load = {
		.rate = env_number("RATE", 100000), .life = MS, .timeout = SEC, .order = order,
		.seconds = env_number("SECONDS", 10),
	};
	struct heard heard = hear(&load);

	if (heard.passes > 2)
		ktap_fail("more than two passes in a second");
	if (heard.kicks > load.seconds)
		ktap_fail("more than one kick per timeout");
	none_wrong(&heard);
}

static void kept_steady_last_first(void)
{
	steady(LAST_FIRST);
}

static void kept_steady_first_first(void)
{
	steady(FIRST_FIRST);
}

static void kept_steady_random(void)
{
	steady(RANDOM);
}

/* Requests of 1/10 of the timeout; some expire: one pass per tick, few queued timers. */
static void kept_some_expire(void)
{
	struct load load = {
		.rate = env_number("RATE", 100000), .life = 100 * MS, .timeout = SEC, .expires = 1,
		.order = RANDOM, .seconds = env_number("SECONDS", 10),
	};
	struct heard heard = hear(&load);

	if (heard.passes > 1010)
		ktap_fail("more than one pass per tick");
	if (heard.filed > heard.requests / 20)
		ktap_fail("more than 5 % were queued");
	if (!heard.fired)
		ktap_fail("none expired");
	none_wrong(&heard);
}

static void mixed(__u32 brief)
{
	struct load load = {
		.rate = env_number("RATE", 100000), .life = MS, .timeout = SEC, .brief = brief,
		.order = RANDOM, .seconds = env_number("SECONDS", 10),
	};
	struct heard heard = hear(&load);

	if (heard.kicks > heard.requests / 1000)
		ktap_fail("more than one kick per 1000 requests");
	none_wrong(&heard);
}

static void kept_mixed_1_percent(void)
{
	mixed(10);
}

static void kept_mixed_10_percent(void)
{
	mixed(100);
}

static void kept_mixed_50_percent(void)
{
	mixed(500);
}

const struct ktap_test load_tests[] = {
	{ "kept_steady_last_first", kept_steady_last_first },
	{ "kept_steady_first_first", kept_steady_first_first },
	{ "kept_steady_random", kept_steady_random },
	{ "kept_some_expire", kept_some_expire },
	{ "kept_mixed_1_percent", kept_mixed_1_percent },
	{ "kept_mixed_10_percent", kept_mixed_10_percent },
	{ "kept_mixed_50_percent", kept_mixed_50_percent },
	{ NULL, NULL }
};
