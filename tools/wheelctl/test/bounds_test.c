// SPDX-License-Identifier: MIT
/*
 * Timers beyond a wheel's limits are refused beforehand, and the advice is good.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "ktap.h"
#include "parse.h"
#include "refusal.h"

static struct wheel_setup bounded(u32 buckets, u64 tick)
{
	return (struct wheel_setup){
		.scheme = WHEEL_BOUNDED,
		.buckets = buckets,
		.tick_ns = tick,
	};
}

/**
 * struct wish - a delay or timers, and the wheel to hold them
 * @setup: the wheel
 * @delay: nanoseconds
 * @timers: how many
 */
struct wish {
	struct wheel_setup setup;
	u64 delay;
	u64 timers;
};

static void wish_delay(const void *data)
{
	const struct wish *wish = data;

	bounds_delay(&wish->setup, wish->delay, "%s", "it");
}

static void wish_timers(const void *data)
{
	const struct wish *wish = data;

	bounds_timers(&wish->setup, "it", wish->timers);
}

static bool holds_delay(struct wheel_setup setup, u64 delay)
{
	struct wish wish = { .setup = setup, .delay = delay };
	char said[400];

	return !refusal_of(wish_delay, &wish, said, sizeof(said)) && !*said;
}

static bool refuses_delay(struct wheel_setup setup, u64 delay, const char *what)
{
	struct wish wish = { .setup = setup, .delay = delay };
	char said[400];

	return refusal_of(wish_delay, &wish, said, sizeof(said)) == EXIT_ASKED &&
	       strstr(said, what);
}

static bool refuses_timers(u32 scheme, u64 timers, const char *what)
{
	struct wish wish = { .setup = { .scheme = scheme }, .timers = timers };
	char said[400];
	int status = refusal_of(wish_timers, &wish, said, sizeof(said));

	return *what ? status == EXIT_ASKED && strstr(said, what) : !status;
}

static void spans(void)
{
	struct wheel_setup hashed = { .buckets = 1, .tick_ns = 1 };
	struct wheel_setup setup = bounded(256, NSEC_PER_MSEC);

	KTAP_EXPECT(bounds_span(&hashed) == WHEEL_MAX_TIME);
	KTAP_EXPECT(bounds_span(&setup) == 255 * NSEC_PER_MSEC);
	setup = bounded(256, WHEEL_MAX_TIME / 255);
	KTAP_EXPECT(bounds_span(&setup) == WHEEL_MAX_TIME / 255 * 255);
	setup = bounded(256, WHEEL_MAX_TIME / 255 + 1);
	KTAP_EXPECT(bounds_span(&setup) == WHEEL_MAX_TIME);
}

static void delays(void)
{
	struct wheel_setup setup = bounded(256, NSEC_PER_MSEC);
	struct wheel_setup one = bounded(1, NSEC_PER_MSEC);

	KTAP_EXPECT(holds_delay(setup, 0));
	KTAP_EXPECT(holds_delay(setup, 255 * NSEC_PER_MSEC));
	KTAP_EXPECT(refuses_delay(setup, 255 * NSEC_PER_MSEC + 1,
				  "it is more than a bounded wheel holds with 256 buckets and"));
	KTAP_EXPECT(refuses_delay(setup, 255 * NSEC_PER_MSEC + 1,
				  "a tick of 1ms, 255ms: ask for --buckets 512 or"));
	KTAP_EXPECT(refuses_delay(setup, 255 * NSEC_PER_MSEC + 1,
				  "--buckets 512 or --tick 1100us\n"));
	KTAP_EXPECT(refuses_delay(setup, 10 * NSEC_PER_SEC,
				  "--buckets 16384 or --tick 40ms\n"));
	KTAP_EXPECT(refuses_delay(setup, 3 * 3600 * NSEC_PER_SEC,
				  "255ms: ask for --tick 43s\n"));
	KTAP_EXPECT(refuses_delay(one, 1, "0ns: ask for more --buckets\n"));
	KTAP_EXPECT(holds_delay(one, 0));
}

/* The number behind @option in what was said; parse_duration()'s, too. */
static u64 advised(const char *said, const char *option)
{
	const char *at = strstr(said, option);
	char text[40];
	u64 value;

	if (!at || sscanf(at + strlen(option), " %39s", text) != 1)
		return 0;
	if (parse_number(text, &value) && parse_duration(text, &value))
		return 0;
	return value;
}

/* A user who follows either advice is not refused again. */
static void good_advice(void)
{
	struct wish wish = { .setup = bounded(2, 1) };
	u64 buckets, tick;
	char said[400];

	for (wish.delay = 2; wish.delay < WHEEL_MAX_TIME / 7;
	     wish.delay += wish.delay / 2 + 1) {
		refusal_of(wish_delay, &wish, said, sizeof(said));
		buckets = advised(said, "--buckets");
		tick = advised(said, "--tick");
		KTAP_EXPECT(!buckets == (wish.delay >= WHEEL_MAX_BUCKETS));
		if (buckets)
			KTAP_EXPECT(holds_delay(bounded((u32)buckets, 1),
						wish.delay));
		KTAP_EXPECT(tick && holds_delay(bounded(2, tick), wish.delay));
	}
}

static void numbers(void)
{
	KTAP_EXPECT(refuses_timers(WHEEL_OVERFLOW, 4096, ""));
	KTAP_EXPECT(refuses_timers(WHEEL_OVERFLOW, 4097,
				   "it: 4,097 timers are more than the 4,096 of"));
	KTAP_EXPECT(refuses_timers(WHEEL_HASHED, 1 << 24, ""));
	KTAP_EXPECT(refuses_timers(WHEEL_HASHED, (1 << 24) + 1,
				   "more than 2^24"));
}

const struct ktap_case bounds_cases[] = {
	{ "spans", spans },
	{ "delays of a bounded wheel", delays },
	{ "advice on bounded wheels", good_advice },
	{ "numbers of timers", numbers },
	{ NULL }
};
