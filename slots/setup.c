// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Configuration of a program's wheel: limits and defaults.
 */
#include "slots.h"

#define DEFAULT_TICK_NS		1000000
#define DEFAULT_TIMERS		65536

/* Maximum of timers / buckets, which limits the timers of later revolutions examined per tick. */
#define MAX_TIMERS_A_BUCKET	32

/* Return the maximum of wheel_setup.timers, which is lower if an arm walks a list. */
static u32 most_timers(const struct wheel_setup *setup)
{
	return wheel_limit_of(setup->scheme) == WHEEL_NEVER ? WHEEL_MAX_TIMERS :
							      WHEEL_OVERFLOW_TIMERS;
}

/* Validate a requested configuration, whose scheme is not 0. Returns 0 or -EINVAL. */
int wheel_setup_check(const struct wheel_setup *setup)
{
	if (setup->flags & ~WHEEL_SETUP_WORDS || setup->clock > WHEEL_CLOCK_VIRTUAL ||
	    setup->scheme > WHEEL_OVERFLOW || setup->tick_ns > WHEEL_MAX_TIME ||
	    setup->timers > most_timers(setup) || setup->buckets > WHEEL_MAX_BUCKETS ||
	    setup->events > WHEEL_MAX_EVENTS || setup->reserved)
		return -EINVAL;
	return 0;
}

/* Replace a valid configuration by the effective one, with the defaults. */
void wheel_setup_resolve(struct wheel_setup *setup)
{
	u32 least;

	setup->size = sizeof(*setup);
	if (!setup->tick_ns)
		setup->tick_ns = DEFAULT_TICK_NS;
	if (!setup->timers)
		setup->timers = min_t(u32, DEFAULT_TIMERS, most_timers(setup));
	least = DIV_ROUND_UP(setup->timers, MAX_TIMERS_A_BUCKET);
	if (setup->buckets)
		setup->buckets = max(setup->buckets, least);
	setup->buckets = wheel_buckets_for(setup->scheme, setup->buckets, setup->timers);
	/* All clocks and schemes. */
	setup->features = WHEEL_HAS_CLOCK(WHEEL_CLOCK_VIRTUAL + 1) - WHEEL_HAS_CLOCK(0) +
			  WHEEL_HAS_SCHEME(WHEEL_OVERFLOW + 1) - WHEEL_HAS_SCHEME(WHEEL_HASHED) +
			  WHEEL_HAS_WORDS;
}
