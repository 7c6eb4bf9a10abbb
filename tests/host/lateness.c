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

/* The harness compares with the oracle, which tries all boundaries within the slack. */
static void slack_on_ring(u32 buckets)
{
	struct rig rig;
	u64 deadline;
	u64 slack;

	rig_init(&rig, buckets, 10, 1);
	for (deadline = 0; deadline < 700; deadline += 3)
		for (slack = 0; slack < 1000; slack += 7)
			rig_arm(&rig, 0, deadline, slack);
}

/* Slack moves timers from at most one sixteenth of the ring into one bucket. */
static void p2_slack_is_bounded(void)
{
	slack_on_ring(8);
	slack_on_ring(16);
	slack_on_ring(32);
	slack_on_ring(256);
	slack_on_ring(65536);
}

/* A slack beyond the end of the clock causes no overflow. */
static void p2_slack_without_end(void)
{
	struct rig rig;

	rig_init(&rig, 256, 10, 1);
	rig_arm(&rig, 0, 0, WHEEL_END_NS);
	rig_arm(&rig, 0, 1234567, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS - 3, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS, ~(u64)0);
}

/* A deadline in the past is due at the next tick that is not yet processed. */
static void p2_past_is_due_next(void)
{
	struct rig rig;

	rig_init(&rig, 8, 10, 2);
	rig_pass(&rig, 100, 100);
	rig_arm(&rig, 0, 0, 0);
	rig_arm(&rig, 1, 1000, 0);
	if (rig.wheel.next != 101)
		ktap_fail("a past deadline is not due at the next tick");
	if (rig_pass(&rig, 100, 100))
		ktap_fail("a processed tick was processed again");
	if (rig_pass(&rig, 101, 100) != 2)
		ktap_fail("a past deadline did not fire at the next tick");
}

const struct ktap_test lateness_tests[] = {
	{ "p1_never_early", p1_never_early },
	{ "p2_bounded_late", p2_bounded_late },
	{ "p2_slack_is_bounded", p2_slack_is_bounded },
	{ "p2_slack_without_end", p2_slack_without_end },
	{ "p2_past_is_due_next", p2_past_is_due_next },
	{ }
};
