// SPDX-License-Identifier: MIT
/*
 * The configuration of a wheel, its limits, and the times at which its timers are due.
 */
#include "setup.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"

/* Recommended size of a bounded wheel: a day in ticks of 1.4 s, and 2.6 MB. */
#define RECOMMENDED_BUCKETS	65536

const struct option_spec setup_options[] = {
	{ "clock", "CLOCK", "monotonic (default), boottime, realtime, tai or virtual",
	  parse_clock, &globals.setup.clock },
	{ "scheme", "SCHEME", "hierarchical, hashed, bounded or overflow",
	  parse_scheme, &globals.setup.scheme },
	{ "tick", "TIME", "round times up to multiples of TIME; default: 1ms", parse_interval,
	  &globals.setup.tick_ns },
	{ "buckets", "N", "buckets of the ring, rounded up to a power of two", parse_buckets,
	  &globals.setup.buckets },
	{ NULL }
};

static bool can_be_set(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

/* Only hashed and bounded wheels support clocks that can be set back. */
void setup_settle(struct wheel_setup *setup)
{
	bool set = can_be_set(setup->clock);

	if (setup->scheme == WHEEL_DEFAULT)
		setup->scheme = set ? WHEEL_HASHED : WHEEL_HIERARCHICAL;
	if (set && setup->scheme != WHEEL_HASHED && setup->scheme != WHEEL_BOUNDED)
		fail(EXIT_USAGE,
		     "--scheme %s does not support the clock %s, which can be set: use hashed or bounded",
		     scheme_name(setup->scheme), clock_name(setup->clock));
	if (setup->buckets && setup->scheme == WHEEL_HIERARCHICAL)
		fail(EXIT_USAGE,
		     "--buckets has no effect on a hierarchical wheel: use another --scheme");
}

void setup_print(const struct wheel_setup *setup)
{
	printf("clock       %s\n", clock_name(setup->clock));
	printf("scheme      %s\n", scheme_name(setup->scheme));
	printf("tick        %s\n", text_time(setup->tick_ns).s);
	printf("timers      %s\n", setup->timers ? text_count(setup->timers).s : "no limit");
	printf("buckets     %s\n", text_count(setup->buckets).s);
	if (setup->events)
		printf("ring        %u events\n", setup->events);
	if (setup->flags & WHEEL_SETUP_WORDS)
		puts("flags       words");
}

void setup_json(const struct wheel_setup *setup)
{
	json_string("clock", clock_name(setup->clock));
	json_string("scheme", scheme_name(setup->scheme));
	json_u64("tick_ns", setup->tick_ns);
	json_u64("timers", setup->timers);
	json_u64("buckets", setup->buckets);
	json_u64("events", setup->events);
	json_u64("flags", setup->flags);
}

/* A part of the current tick has passed, so a revolution is one bucket shorter. */
u64 bounds_span(const struct wheel_setup *setup)
{
	u64 ticks = setup->buckets - 1;

	if (setup->scheme != WHEEL_BOUNDED || ticks > WHEEL_MAX_TIME / setup->tick_ns)
		return WHEEL_MAX_TIME;
	return ticks * setup->tick_ns;
}

static struct wheel_setup largest(const struct wheel_setup *requested)
{
	struct wheel_setup setup = *requested;
	u32 least = WHEEL_MAX_TIMERS / 32;

	if (!setup.tick_ns)
		setup.tick_ns = NSEC_PER_MSEC;
	if (!setup.buckets)
		setup.buckets = WHEEL_MAX_BUCKETS;
	if (setup.buckets < least)
		setup.buckets = least;
	while (setup.buckets & (setup.buckets - 1))
		setup.buckets += setup.buckets & -setup.buckets;
	return setup;
}

u64 bounds_at_most(const struct wheel_setup *requested)
{
	struct wheel_setup setup = largest(requested);

	return bounds_span(&setup);
}

void bounds_timers(const struct wheel_setup *setup, const char *who, u64 timers)
{
	if (timers > WHEEL_MAX_TIMERS)
		fail(EXIT_USAGE, "%s: %s timers exceed the limit of 2^24", who,
		     text_count(timers).s);
	if (setup->scheme == WHEEL_OVERFLOW && timers > WHEEL_OVERFLOW_TIMERS)
		fail(EXIT_USAGE,
		     "%s: %s timers exceed the limit of 256 of an overflow wheel; use another --scheme",
		     who, text_count(timers).s);
}

/* The tick that suffices with the same number of buckets, rounded up to two digits. */
static u64 sufficient_tick(u32 buckets, u64 delay)
{
	u64 tick = (delay - 1) / (buckets - 1) + 1;
	u64 unit = 1;

	while (tick / unit > 99)
		unit *= 10;
	return (tick + unit - 1) / unit * unit;
}

void bounds_refuse(const struct wheel_setup *requested, u64 delay, const char *what)
{
	struct wheel_setup setup = largest(requested);

	fail(EXIT_USAGE,
	     "%s exceeds the limit of a bounded wheel with a tick of %s, %s: use --tick %s --buckets %u",
	     what, text_duration(setup.tick_ns).s, text_duration(bounds_span(&setup)).s,
	     text_duration(sufficient_tick(RECOMMENDED_BUCKETS, delay)).s, RECOMMENDED_BUCKETS);
}

/* The number of buckets that suffices with the same tick, or 0 if it exceeds the limit. */
static u64 sufficient_buckets(const struct wheel_setup *setup, u64 delay)
{
	u64 ticks = (delay - 1) / setup->tick_ns + 1;
	u64 buckets = 2;

	while (buckets - 1 < ticks)
		buckets *= 2;
	return buckets > WHEEL_MAX_BUCKETS ? 0 : buckets;
}

static void advise(const struct wheel_setup *setup, u64 delay, char *text, size_t size)
{
	u64 buckets = sufficient_buckets(setup, delay);
	char more_buckets[40] = "";

	if (setup->buckets == 1) {
		snprintf(text, size, "more --buckets");
		return;
	}
	if (buckets)
		snprintf(more_buckets, sizeof(more_buckets), "--buckets %llu or ", buckets);
	snprintf(text, size, "%s--tick %s", more_buckets,
		 text_duration(sufficient_tick(setup->buckets, delay)).s);
}

void bounds_delay(const struct wheel_setup *setup, u64 delay, const char *what, ...)
{
	char name[200], advice[80];
	va_list args;

	if (delay <= bounds_span(setup))
		return;
	va_start(args, what);
	vsnprintf(name, sizeof(name), what, args);
	va_end(args);
	advise(setup, delay, advice, sizeof(advice));
	fail(EXIT_USAGE,
	     "%s exceeds the limit of a bounded wheel with %u bucket%s and a tick of %s, %s: use %s",
	     name, setup->buckets, setup->buckets == 1 ? "" : "s",
	     text_duration(setup->tick_ns).s, text_duration(bounds_span(setup)).s, advice);
}

u64 time_sum(u64 a, u64 b)
{
	return a > WHEEL_MAX_TIME - b ? WHEEL_MAX_TIME : a + b;
}

/* The end of the clock counts as a tick. */
u64 due_time(u64 tick, u64 deadline, u64 known)
{
	u64 due = deadline / tick + !!(deadline % tick);
	u64 next = known / tick + 1;

	if (due < next)
		due = next;
	return due > WHEEL_MAX_TIME / tick ? WHEEL_MAX_TIME : due * tick;
}
