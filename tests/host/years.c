// SPDX-License-Identifier: GPL-2.0
/*
 * 292 years, the range of the 63-bit clock. Timers are armed again after they have fired,
 * with delays of all magnitudes, until the end of the clock.
 */
#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "rig.h"
#include "tests.h"

#define TIMERS		48
#define CHECK_EVERY	500

/**
 * struct years - test of the whole range
 * @random: random number generator
 * @rig: test harness
 * @used: for each bucket, true if it has contained a timer
 * @fired: number of expiries
 */
struct years {
	struct random random;
	struct rig rig;
	bool *used;
	u64 fired;
};

/*
 * Returns a random delay of random magnitude. A timer with all magnitudes fires some thousand
 * times. On a bounded wheel, delays are uniformly distributed up to the bound.
 */
static u64 draw_delay(struct years *y)
{
	u64 order = random_below(&y->random, fls64(y->rig.oracle.end) - 7);

	if (y->rig.wheel.scheme == &wheel_bounded)
		return 1 + random_below(&y->random, y->rig.oracle.span);
	return ((u64)1 << order) + random_below(&y->random, (u64)1 << order);
}

static void arm(struct years *y, unsigned int i, u64 tick)
{
	u64 tick_ns = y->rig.oracle.tick_ns;
	u64 due = tick + draw_delay(y);
	u32 bucket;

	/* Near the end of the clock, only short delays are possible. */
	if (due >= y->rig.oracle.end)
		return;
	rig_arm(&y->rig, i, due * tick_ns - random_below(&y->random, tick_ns),
		0);
	bucket = y->rig.timer[i].wheel.bucket;
	if (bucket <= y->rig.wheel.ring.mask)
		y->used[bucket] = true;
}

static void arm_those_that_fired(struct years *y, u64 tick)
{
	unsigned int i;

	for (i = 0; i < y->rig.timers; i++)
		if (!y->rig.timer[i].oracle.pending)
			arm(y, i, tick);
}

/*
 * Expire all timers due at the next expiry, and none before. Each expired timer is armed
 * again immediately or after all have fired.
 */
static void one_expiry(struct years *y)
{
	u64 tick_ns = y->rig.oracle.tick_ns;
	u64 tick = y->rig.wheel.next;

	if (random_percent(&y->random, 50) && rig_pass(&y->rig, tick - 1, 7))
		ktap_fail("a timer fired early");
	do {
		unsigned int budget = 1 + (unsigned int)
				      random_below(&y->random, 8);
		struct rig_timer *t = rig_pop(&y->rig, tick, budget);

		if (!t)
			continue;
		if (tick * tick_ns - t->deadline >= tick_ns)
			ktap_fail("a timer did not fire at its tick");
		if (random_percent(&y->random, 50))
			arm(y, (unsigned int)(t - y->rig.timer), tick);
		y->fired++;
	} while (y->rig.passing);
	arm_those_that_fired(y, tick);
	if (y->fired % CHECK_EVERY == 0)
		rig_check(&y->rig);
}

/*
 * Check whether a bucket can contain timers. Bucket 0 of a level is never used, because its
 * timers are queued on the next higher level. The last level has only the remaining bits of
 * the clock.
 */
static bool usable(const struct wheel_core *w, u32 at)
{
	u32 shift = at / 64 * 6;

	if (w->scheme != &wheel_hierarchical)
		return true;
	return at % 64 && shift < 63 && at % 64 <= w->last >> shift;
}

static void check_all_used(const struct years *y)
{
	const struct wheel_core *w = &y->rig.wheel;
	u32 at;

	for (at = 0; at <= w->ring.mask; at++) {
		if (usable(w, at) == y->used[at])
			continue;
		printf("# bucket %u\n", at);
		ktap_fail("the used buckets are not exactly the usable ones");
	}
}

static void years(u32 buckets, u64 tick_ns, unsigned int timers)
{
	struct years y = { .random = random_start(tick_ns) };

	rig_init(&y.rig, buckets, tick_ns, timers);
	y.used = calloc((size_t)y.rig.wheel.ring.mask + 1, sizeof(*y.used));
	if (!y.used)
		abort();
	arm_those_that_fired(&y, 0);
	while (y.rig.wheel.pending)
		one_expiry(&y);
	check_all_used(&y);
	printf("# %llu expiries up to tick %llu of %llu\n", y.fired,
	       y.rig.wheel.clock, y.rig.wheel.last);
	free(y.used);
}

static void p6_292_years(void)
{
	static const u64 ticks[] = { 1, 1000, 100000000 };
	size_t i;

	for (i = 0; i < sizeof(ticks) / sizeof(*ticks); i++)
		years(64, ticks[i], TIMERS);
}

/* A tick of a second, and a bound of nine hours. */
static void p6_292_years_within_a_bound(void)
{
	years(32768, 1000000000, 3);
}

const struct ktap_test years_tests[] = {
	{ "p6_292_years", p6_292_years },
	{ }
};

const struct ktap_test bounded_years_tests[] = {
	{ "p6_292_years", p6_292_years_within_a_bound },
	{ }
};
