// SPDX-License-Identifier: GPL-2.0
/*
 * wheel_timer_arm_next(): the next period of a timer, and the number of missed periods.
 */
#include "rig.h"

struct next_case {
	const char	*desc;
	u64		deadline;
	u64		period;
	u64		now;
	u64		next;
	u64		missed;
};

#define BILLION		1000000000ULL

static const struct next_case next_cases[] = {
	{ "in time", 10, 10, 10, 20, 0 },
	{ "a little late", 10, 10, 19, 20, 0 },
	{ "a period late", 10, 10, 20, 30, 1 },
	{ "more than a period late", 10, 10, 21, 30, 1 },
	{ "off the grid of ticks", 13, 7, 100, 104, 12 },
	{ "period of 1", 10, 1, 10, 11, 0 },
	{ "missed by the billion", 1, 1, 5 * BILLION, 5 * BILLION + 1,
	  5 * BILLION - 1 },
	{ "missed more than an int", 0, 10, 30 * BILLION + 5, 30 * BILLION + 10,
	  3 * BILLION },
	{ "missed all", 0, 1, WHEEL_MAX_TIME - 1, WHEEL_MAX_TIME,
	  WHEEL_MAX_TIME - 1 },
	{ "up to the end", 5, WHEEL_MAX_TIME - 5, 6, WHEEL_MAX_TIME, 0 },
	{ "past the end", 6, WHEEL_MAX_TIME - 5, 6, WHEEL_NEVER, WHEEL_NEVER },
	{ "half the clock", 1, 1ULL << 62, 1ULL << 62, (1ULL << 62) + 1, 0 },
	{ "half the clock, twice", 1, 1ULL << 62, (1ULL << 62) + 1, WHEEL_NEVER,
	  WHEEL_NEVER },
	{ "longest period", 1, U64_MAX, 1, WHEEL_NEVER, WHEEL_NEVER },
	{ "period that wraps", 100, U64_MAX - 50, 100, WHEEL_NEVER, WHEEL_NEVER },
	{ "no period", 10, 0, 10, WHEEL_NEVER, WHEEL_NEVER },
};

KUNIT_ARRAY_PARAM_DESC(next, next_cases, desc);

/* The result is the same inside and outside the callback. */
static void next(struct kunit *test)
{
	const struct next_case *row = test->param_value;
	struct rig *rig = rig_virtual(test, 1, 2);
	struct wheel_timer *outside = &rig->probes[0].timer;
	struct probe *inside = &rig->probes[1];
	bool armed = row->next != WHEEL_NEVER;

	inside->action = probe_arm_next;
	inside->period = row->period;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, row->deadline), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, row->deadline), 0);
	rig_advance(rig, row->now);
	KUNIT_ASSERT_EQ(test, rig->calls, 2);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm_next(outside, row->period),
			row->missed);
	KUNIT_EXPECT_EQ(test, wheel_timer_pending(outside), armed);
	KUNIT_EXPECT_EQ(test, wheel_timer_pending(&inside->timer), armed);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, row->now), row->next);
	if (!armed)
		return;
	KUNIT_EXPECT_EQ(test, inside->missed, row->missed);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(outside), row->next);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&inside->timer), row->next);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm_next(outside, row->period),
			WHEEL_NEVER);
}

/* The phase remains that of the first deadline, regardless of delays. */
static void phase_is_kept(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct probe *probe = &rig->probes[0];
	u64 period = 37 * TICK + 11, phase = 5 * TICK + 3, rest;
	u64 now = 0;
	int i;

	probe->action = probe_arm_next;
	probe->period = period;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, phase), 0);
	for (i = 0; i < 2000; i++) {
		now += rig_random(rig, 3 * period);
		rig_advance(rig, now);
		KUNIT_ASSERT_TRUE(test, wheel_timer_pending(&probe->timer));
		div64_u64_rem(wheel_timer_deadline(&probe->timer) - phase, period,
			      &rest);
		KUNIT_ASSERT_EQ(test, rest, 0);
	}
	/* Each elapsed period was either called or missed, once. */
	KUNIT_EXPECT_EQ(test, probe->calls + probe->missed,
			div64_u64(wheel_timer_deadline(&probe->timer) - phase,
				  period));
}

/* A due tick that was delayed by slack must not delay the following periods. */
static void slack_is_kept_within_bounds(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct probe *probe = &rig->probes[0];
	u64 slack = TICK;
	int i;

	probe->action = probe_arm_next;
	probe->period = 37 * TICK;
	KUNIT_ASSERT_EQ(test, wheel_timer_arm(&probe->timer, 15 * TICK, slack), 0);
	for (i = 0; i < 100; i++) {
		u64 deadline = wheel_timer_deadline(&probe->timer);
		u64 due = rig_advance(rig, wheel_now(rig->wheel));

		KUNIT_ASSERT_GE(test, due, deadline);
		KUNIT_ASSERT_LE(test, due, deadline + slack);
		rig_advance(rig, due);
		KUNIT_ASSERT_EQ(test, probe->calls, i + 1);
	}
}

/* A periodic timer that is cancelled from outside its callback remains cancelled. */
static void cancel_ends_the_periods(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct probe *probe = &rig->probes[0];

	probe->action = probe_arm_next;
	probe->period = TICK;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, TICK), 0);
	rig_advance(rig, TICK);
	rig_advance(rig, 2 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&probe->timer), 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 10 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, probe->calls, 2);
	/* It can be armed again later, at a multiple of the period. */
	KUNIT_EXPECT_EQ(test, wheel_timer_arm_next(&probe->timer, 4 * TICK), 1);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&probe->timer), 11 * TICK);
}

static struct kunit_case periodic_cases[] = {
	KUNIT_CASE_PARAM(next, next_gen_params),
	KUNIT_CASE(phase_is_kept),
	KUNIT_CASE(slack_is_kept_within_bounds),
	KUNIT_CASE(cancel_ends_the_periods),
	{}
};

static struct kunit_suite periodic_suite = {
	.name = "wheel_timer_periodic",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = periodic_cases,
};

kunit_test_suite(periodic_suite);
