// SPDX-License-Identifier: GPL-2.0
/*
 * P1: never early. P2: bounded lateness. Measured in nanoseconds of the receiver's
 * clock, not in ticks.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define TIMERS 64

static const u64 tick_lengths[] = {
	1, 2, 3, 7, 10, 64, 1000, 999983, 1000000, (1 << 20) + 1, 4000000000,
};

static void with_each_tick(void (*run)(u64 tick_ns))
{
	size_t i;

	for (i = 0; i < sizeof(tick_lengths) / sizeof(u64); i++)
		run(tick_lengths[i]);
}

/* The clock advances by less than a tick or by several ticks. */
static void never_early(u64 tick_ns)
{
	struct random r = random_start(10);
	unsigned int step;
	struct rig rig;
	u64 now = 0;

	rig_init(&rig, 8, tick_ns, TIMERS);
	for (step = 0; step < 3000; step++) {
		rig_arm(&rig, (unsigned int)random_below(&r, TIMERS),
			now + random_below(&r, 40 * tick_ns),
			random_percent(&r, 30) * random_below(&r, 9 * tick_ns));
		now += random_below(&r, 3 * tick_ns);
		do {
			u64 until = wheel_tick_at(&rig.wheel, now);
			struct rig_timer *t = rig_pop(&rig, until, 5);

			if (t && t->deadline > now)
				ktap_fail("a timer fired before its deadline");
		} while (rig.passing);
	}
}

static void p1_never_early(void)
{
	with_each_tick(never_early);
}

/* With a pass at each tick boundary, the lateness is less than one tick. */
static void first_boundary(u64 tick_ns)
{
	struct random r = random_start(11);
	struct rig rig;
	unsigned int i;
	u64 now;

	rig_init(&rig, 16, tick_ns, TIMERS);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, 1 + random_below(&r, 50 * tick_ns), 0);
	for (now = tick_ns; now <= 50 * tick_ns; now += tick_ns) {
		do {
			u64 until = wheel_tick_at(&rig.wheel, now);
			struct rig_timer *t = rig_pop(&rig, until, 5);

			if (t && t->deadline > now)
				ktap_fail("a timer fired before its deadline");
			if (t && t->deadline + tick_ns <= now)
				ktap_fail("a timer fired a tick late");
		} while (rig.passing);
	}
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

static void p2_bounded_late(void)
{
	with_each_tick(first_boundary);
}

const struct ktap_test lateness_tests[] = {
	{ "p1_never_early", p1_never_early },
	{ "p2_bounded_late", p2_bounded_late },
	{ }
};
