// SPDX-License-Identifier: MIT
/*
 * The limits of a wheel, told before it is asked for more.
 */
#include "bounds.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"

/**
 * bounds_span - the longest delay that a wheel holds at any time
 * @setup: in force
 *
 * The revolution of a bounded wheel begins with the tick that is under way, of
 * which there may be nothing left: it is good for one bucket less.
 *
 * Return: nanoseconds.
 */
u64 bounds_span(const struct wheel_setup *setup)
{
	u64 ticks = setup->buckets - 1;

	if (setup->scheme != WHEEL_BOUNDED ||
	    ticks > WHEEL_MAX_TIME / setup->tick_ns)
		return WHEEL_MAX_TIME;
	return ticks * setup->tick_ns;
}

/* The wheel that is asked for, as large as the device can make it for any number of timers. */
static struct wheel_setup largest(const struct wheel_setup *asked)
{
	struct wheel_setup setup = *asked;
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

/**
 * bounds_at_most - the longest delay that a wheel can hold, however many timers it has
 * @asked: asked for, not yet in force
 *
 * Return: nanoseconds.
 */
u64 bounds_at_most(const struct wheel_setup *asked)
{
	struct wheel_setup setup = largest(asked);

	return bounds_span(&setup);
}

/**
 * bounds_timers - refuse more timers than the scheme holds
 * @setup: asked for
 * @who: has these timers
 * @timers: how many
 */
void bounds_timers(const struct wheel_setup *setup, const char *who, u64 timers)
{
	if (timers > WHEEL_MAX_TIMERS)
		fail(EXIT_ASKED, "%s: %s timers are more than 2^24", who,
		     text_count(timers).s);
	if (setup->scheme == WHEEL_OVERFLOW && timers > WHEEL_OVERFLOW_TIMERS)
		fail(EXIT_ASKED,
		     "%s: %s timers are more than the 4,096 of an overflow wheel; ask for another --scheme",
		     who, text_count(timers).s);
}

/* Of as many buckets; rounded up to two digits, which nobody minds in a tick. */
static u64 sufficient_tick(const struct wheel_setup *setup, u64 delay)
{
	u64 tick = (delay - 1) / (setup->buckets - 1) + 1;
	u64 unit = 1;

	while (tick / unit > 99)
		unit *= 10;
	return (tick + unit - 1) / unit * unit;
}

/* Enough for a day in ticks of 1.4 s, and 2.6 MB. */
#define PLENTY	65536

/**
 * bounds_refuse - refuse a delay that no bounded wheel of this tick holds
 * @asked: asked for, not yet in force
 * @delay: nanoseconds
 * @what: the name of the delay
 */
void bounds_refuse(const struct wheel_setup *asked, u64 delay, const char *what)
{
	struct wheel_setup setup = largest(asked);
	struct wheel_setup plenty = { .buckets = PLENTY };

	fail(EXIT_ASKED,
	     "%s is more than a bounded wheel holds with a tick of %s, %s at most: ask for --tick %s --buckets %u",
	     what, text_duration(setup.tick_ns).s,
	     text_duration(bounds_span(&setup)).s,
	     text_duration(sufficient_tick(&plenty, delay)).s, PLENTY);
}

/* With the same tick; 0: no wheel has so many. */
static u64 sufficient_buckets(const struct wheel_setup *setup, u64 delay)
{
	u64 ticks = (delay - 1) / setup->tick_ns + 1;
	u64 buckets = 2;

	while (buckets - 1 < ticks)
		buckets *= 2;
	return buckets > WHEEL_MAX_BUCKETS ? 0 : buckets;
}

static void advise(const struct wheel_setup *setup, u64 delay, char *text,
		   size_t size)
{
	u64 buckets = sufficient_buckets(setup, delay);
	char more_buckets[40] = "";

	if (setup->buckets == 1) {
		snprintf(text, size, "more --buckets");
		return;
	}
	if (buckets)
		snprintf(more_buckets, sizeof(more_buckets), "--buckets %llu or ",
			 buckets);
	snprintf(text, size, "%s--tick %s", more_buckets,
		 text_duration(sufficient_tick(setup, delay)).s);
}

/**
 * bounds_delay - refuse a delay that the wheel does not hold
 * @setup: in force
 * @delay: nanoseconds
 * @what: the name of the delay, a format
 */
void bounds_delay(const struct wheel_setup *setup, u64 delay, const char *what,
		  ...)
{
	char name[200], advice[80];
	va_list args;

	if (delay <= bounds_span(setup))
		return;
	va_start(args, what);
	vsnprintf(name, sizeof(name), what, args);
	va_end(args);
	advise(setup, delay, advice, sizeof(advice));
	fail(EXIT_ASKED,
	     "%s is more than a bounded wheel holds with %u bucket%s and a tick of %s, %s: ask for %s",
	     name, setup->buckets, setup->buckets == 1 ? "" : "s",
	     text_duration(setup->tick_ns).s,
	     text_duration(bounds_span(setup)).s, advice);
}
