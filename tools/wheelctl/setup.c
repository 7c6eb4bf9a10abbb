// SPDX-License-Identifier: MIT
/*
 * Shows what kind of wheel it is.
 */
#include "setup.h"

#include <stdio.h>

#include "fail.h"
#include "json.h"
#include "parse.h"
#include "text.h"

/* May somebody set this clock, even back? */
static bool can_be_set(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

/**
 * setup_settle - choose what was not asked for; refuse what does not fit together
 * @setup: asked for
 *
 * A wheel whose clock can be set back must not place its timers by that clock. All
 * others are hierarchical: then no number of buckets can be wrong, nor is one asked for.
 */
void setup_settle(struct wheel_setup *setup)
{
	bool set = can_be_set(setup->clock);

	if (setup->scheme == SETUP_BEST_SCHEME)
		setup->scheme = set ? WHEEL_HASHED : WHEEL_HIERARCHICAL;
	if (set && setup->scheme != WHEEL_HASHED &&
	    setup->scheme != WHEEL_BOUNDED)
		fail(EXIT_ASKED,
		     "--scheme %s does not bear the clock %s, which can be set: ask for hashed or bounded",
		     scheme_name(setup->scheme), clock_name(setup->clock));
	if (setup->buckets && setup->scheme == WHEEL_HIERARCHICAL)
		fail(EXIT_ASKED,
		     "--buckets means nothing to a hierarchical wheel: ask for another --scheme");
}

/**
 * setup_print - what is in force, for people
 * @setup: of the device
 */
void setup_print(const struct wheel_setup *setup)
{
	printf("clock       %s\n", clock_name(setup->clock));
	printf("scheme      %s\n", scheme_name(setup->scheme));
	printf("tick        %s\n", text_time(setup->tick_ns).s);
	printf("timers      %s\n", text_count(setup->timers).s);
	printf("buckets     %s\n", text_count(setup->buckets).s);
	if (setup->events)
		printf("ring        %u events\n", setup->events);
	if (setup->flags)
		printf("flags      %s%s\n",
		       setup->flags & WHEEL_SETUP_ANY_SLOT ? " any-slot" : "",
		       setup->flags & WHEEL_SETUP_TOUCH ? " touch" : "");
}

/**
 * setup_json - the same as members of the open object
 * @setup: of the device
 */
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
