// SPDX-License-Identifier: MIT
/*
 * Tests of the limits of wheels and of due times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "setup.h"
#include "text.h"

static struct wheel_setup bounded(u32 buckets, u64 tick)
{
	return (struct wheel_setup){
		.scheme = WHEEL_BOUNDED,
		.buckets = buckets,
		.tick_ns = tick,
	};
}

/**
 * struct wish - a request to a wheel
 * @setup: configuration of the wheel
 * @delay: requested delay in nanoseconds
 * @timers: requested number of timers
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
	char printed[400];

	return !ktap_status_of(wish_delay, &wish, printed, sizeof(printed)) && !*printed;
}

static bool refuses_delay(struct wheel_setup setup, u64 delay, const char *what)
{
	struct wish wish = { .setup = setup, .delay = delay };
	char printed[400];

	return ktap_status_of(wish_delay, &wish, printed, sizeof(printed)) == EXIT_USAGE &&
	       strstr(printed, what);
}

static bool refuses_timers(u32 scheme, u64 timers, const char *what)
{
	struct wish wish = { .setup = { .scheme = scheme }, .timers = timers };
	char printed[400];
	int status = ktap_status_of(wish_timers, &wish, printed, sizeof(printed));

	return *what ? status == EXIT_USAGE && strstr(printed, what) : !status;
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
				  "it exceeds the limit of a bounded wheel with 256 buckets and"));
	KTAP_EXPECT(refuses_delay(setup, 255 * NSEC_PER_MSEC + 1,
				  "a tick of 1ms, 255ms: use --buckets 512 or"));
	KTAP_EXPECT(refuses_delay(setup, 255 * NSEC_PER_MSEC + 1,
				  "--buckets 512 or --tick 1100us\n"));
	KTAP_EXPECT(refuses_delay(setup, 10 * NSEC_PER_SEC,
				  "--buckets 16384 or --tick 40ms\n"));
	KTAP_EXPECT(refuses_delay(setup, 3 * 3600 * NSEC_PER_SEC,
				  "255ms: use --tick 43s\n"));
	KTAP_EXPECT(refuses_delay(one, 1, "0ns: use more --buckets\n"));
	KTAP_EXPECT(holds_delay(one, 0));
}

/* The number or duration after an option in a message. */
static u64 advised(const char *printed, const char *option)
{
	const char *at = strstr(printed, option);
	char text[40];
	u64 value;

	if (!at || sscanf(at + strlen(option), " %39s", text) != 1)
		return 0;
	if (parse_number(text, &value) && parse_duration(text, &value))
		return 0;
	return value;
}

/* Both recommended options are sufficient. */
static void good_advice(void)
{
	struct wish wish = { .setup = bounded(2, 1) };
	u64 buckets, tick;
	char printed[400];

	for (wish.delay = 2; wish.delay < WHEEL_MAX_TIME / 7;
	     wish.delay += wish.delay / 2 + 1) {
		ktap_status_of(wish_delay, &wish, printed, sizeof(printed));
		buckets = advised(printed, "--buckets");
		tick = advised(printed, "--tick");
		KTAP_EXPECT(!buckets == (wish.delay >= WHEEL_MAX_BUCKETS));
		if (buckets)
			KTAP_EXPECT(holds_delay(bounded((u32)buckets, 1),
						wish.delay));
		KTAP_EXPECT(tick && holds_delay(bounded(2, tick), wish.delay));
	}
}

static void numbers(void)
{
	KTAP_EXPECT(refuses_timers(WHEEL_OVERFLOW, 256, ""));
	KTAP_EXPECT(refuses_timers(WHEEL_OVERFLOW, 257,
				   "it: 257 timers exceed the limit of 256 of"));
	KTAP_EXPECT(refuses_timers(WHEEL_HASHED, 1 << 24, ""));
	KTAP_EXPECT(refuses_timers(WHEEL_HASHED, (1 << 24) + 1,
				   "exceed the limit of 2^24"));
}

static void due_times(void)
{
	KTAP_EXPECT(due_time(10, 20, 0) == 20);
	KTAP_EXPECT(due_time(10, 21, 0) == 30);
	KTAP_EXPECT(due_time(10, 21, 20) == 30);
	KTAP_EXPECT(due_time(10, 20, 20) == 30);
	KTAP_EXPECT(due_time(10, 5, 29) == 30);
	KTAP_EXPECT(due_time(10, 5, 30) == 40);
	KTAP_EXPECT(due_time(1, WHEEL_MAX_TIME, 0) == WHEEL_MAX_TIME);
	KTAP_EXPECT(due_time(10, WHEEL_MAX_TIME, 0) == WHEEL_MAX_TIME);
	KTAP_EXPECT(due_time(WHEEL_MAX_TIME, 1, 0) == WHEEL_MAX_TIME);
	KTAP_EXPECT(due_time(WHEEL_MAX_TIME - 1, 1, 0) == WHEEL_MAX_TIME - 1);
	KTAP_EXPECT(time_sum(WHEEL_MAX_TIME - 1, 1) == WHEEL_MAX_TIME);
	KTAP_EXPECT(time_sum(2, WHEEL_MAX_TIME) == WHEEL_MAX_TIME);
}

const struct ktap_test setup_cases[] = {
	{ "a bounded wheel is one bucket shorter than a revolution", spans },
	{ "delays beyond the limit are rejected", delays },
	{ "recommended options are sufficient", good_advice },
	{ "too many timers are rejected", numbers },
	{ "timers are due at a tick", due_times },
	{ NULL }
};
