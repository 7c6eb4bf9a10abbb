// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between the schemes: the range of WHEEL_BOUNDED, the limit of WHEEL_OVERFLOW.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>

#include "rig.h"

/* Limit of core/overflow.c. */
#define MAX_TIMERS	4096

#define BOUND		64

/* Create a wheel with 64 buckets: no timer can be due more than 64 ticks ahead. */
static struct rig *bounded(struct kunit *test, u32 clock, u64 tick, u32 count)
{
	const struct wheel_config config = {
		.name = "bounded",
		.clock = clock,
		.scheme = WHEEL_BOUNDED,
		.buckets = BOUND,
		.tick_ns = tick,
	};

	return rig_new(test, &config, count);
}

/* The range is exact at any time in a tick, for an empty wheel and for one with timers. */
static void bound_is_exact(struct kunit *test)
{
	struct rig *rig = bounded(test, WHEEL_CLOCK_VIRTUAL, TICK, 3);
	struct wheel_timer *timer = &rig->probes[0].timer;
	int i;

	for (i = 0; i < 500; i++) {
		u64 now = wheel_now(rig->wheel) + rig_random(rig, 200 * TICK);
		u64 last = (div64_u64(now, TICK) + BOUND) * TICK;

		rig_advance(rig, now);
		if (i & 1)
			rig_arm(rig, 1, now + rig_random(rig, 30 * TICK));
		KUNIT_ASSERT_EQ(test, wheel_timer_arm(timer, last + 1, 0), -ERANGE);
		KUNIT_ASSERT_FALSE(test, wheel_timer_pending(timer));
		KUNIT_ASSERT_EQ(test, wheel_timer_mod(timer, last + TICK, 0),
				-ERANGE);
		KUNIT_ASSERT_EQ(test, wheel_timer_arm(timer, last, 0), 0);
		KUNIT_ASSERT_EQ(test, wheel_timer_rearm(timer, last + 1, 0),
				-ERANGE);
		KUNIT_ASSERT_EQ(test, wheel_timer_mod(timer, WHEEL_MAX_TIME, 0),
				-ERANGE);
		KUNIT_ASSERT_EQ(test, wheel_timer_deadline(timer), last);
		rig_advance(rig, last - 1);
		KUNIT_ASSERT_EQ(test, rig->probes[0].calls, i);
		rig_advance(rig, last);
		KUNIT_ASSERT_EQ(test, rig->probes[0].calls, i + 1);
	}
}

/* Slack may lead to a later tick, but does not cause a rejection. */
static void bound_does_not_count_slack(struct kunit *test)
{
	struct rig *rig = bounded(test, WHEEL_CLOCK_VIRTUAL, TICK, 1);
	u64 now = 37 * TICK + 5, due;
	u32 ahead;

	rig_advance(rig, now);
	for (ahead = 1; ahead <= BOUND; ahead++) {
		u64 deadline = (37 + ahead) * TICK;

		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, 0, deadline,
						    500 * TICK), 0);
		due = rig_advance(rig, now);
		KUNIT_ASSERT_GE(test, due, deadline);
		KUNIT_ASSERT_LE(test, due, deadline + 500 * TICK);
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[0].timer), 0);
	}
}

static void arm_at_the_bound(struct probe *probe)
{
	u64 now = wheel_now(probe->rig->wheel);

	probe->answer = rig_arm(probe->rig, 2, now + (BOUND - 1) * TICK);
}

/* The range starts at the time of the clock, even during a late pass. */
static void bound_counts_from_now_in_a_late_pass(struct kunit *test)
{
	struct rig *rig = bounded(test, WHEEL_CLOCK_VIRTUAL, TICK, 3);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, BOUND * TICK), 0);
	rig->probes[0].action = arm_at_the_bound;
	rig_advance(rig, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	rig_advance(rig, (1000 + BOUND - 1) * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 3);
}

/* The same before a late pass, which the test delays by disabling softirqs. */
static void bound_counts_from_now_before_a_late_pass(struct kunit *test)
{
	struct rig *rig = bounded(test, WHEEL_CLOCK_MONOTONIC, NSEC_PER_MSEC, 2);
	int error;

	rig_await(rig, 2);
	local_bh_disable();
	error = rig_arm(rig, 0, rig_now(rig));
	mdelay(5);
	error = error ?: rig_arm(rig, 1, rig_now(rig) + (BOUND - 1) *
				 NSEC_PER_MSEC);
	local_bh_enable();
	KUNIT_ASSERT_EQ(test, error, 0);
	rig_wait(rig);
}

/* The range moves with the clock while a timer is pending. */
static void bound_moves_with_the_time(struct kunit *test)
{
	struct rig *rig = bounded(test, WHEEL_CLOCK_MONOTONIC, NSEC_PER_MSEC, 100);
	u64 now = rig_now(rig);
	u32 i;

	rig_await(rig, rig->count);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now + 60 * NSEC_PER_MSEC), 0);
	for (i = 1; i < rig->count; i++) {
		now = rig_now(rig);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + (BOUND - 2) *
					      NSEC_PER_MSEC), 0);
		while (rig_now(rig) < now + NSEC_PER_MSEC / 2)
			cond_resched();
	}
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, rig_now(rig) + NSEC_PER_SEC),
			-ERANGE);
}

/*
 * Without a limit, all timers with large slack would share bucket 0 of the ring. Slack may collect
 * timers from at most one sixteenth of the buckets.
 */
static void hashed_slack_gathers_from_few_buckets(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	u32 ticks;

	for (ticks = 1; ticks < 3 * BUCKETS; ticks++) {
		u64 deadline = ticks * TICK, due;

		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, 0, deadline,
						    1000 * TICK), 0);
		due = rig_advance(rig, 0);
		KUNIT_ASSERT_GE(test, due, deadline);
		KUNIT_ASSERT_LT(test, due, deadline + BUCKETS / 16 * TICK);
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[0].timer), 0);
	}
}

static void overflow_takes_so_many_and_no_more(struct kunit *test)
{
	struct wheel_config config = {
		.name = "overflow",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = WHEEL_OVERFLOW,
		.buckets = 16,
		.tick_ns = TICK,
	};
	struct rig *rig = rig_new(test, &config, MAX_TIMERS + 1);
	u32 i;

	for (i = 0; i < MAX_TIMERS; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, rig_random(rig, 999 * TICK)),
				0);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, i, TICK), -EDQUOT);
	rig_advance(rig, 999 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, MAX_TIMERS);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, i, TICK), 0);

	config.limit = MAX_TIMERS + 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create(&config)), -EINVAL);
	config.limit = MAX_TIMERS;
	KUNIT_EXPECT_FALSE(test, IS_ERR(rig_new(test, &config, 1)->wheel));
}

static struct kunit_case scheme_cases[] = {
	KUNIT_CASE(bound_is_exact),
	KUNIT_CASE(bound_does_not_count_slack),
	KUNIT_CASE(bound_counts_from_now_in_a_late_pass),
	KUNIT_CASE(bound_counts_from_now_before_a_late_pass),
	KUNIT_CASE(bound_moves_with_the_time),
	KUNIT_CASE(hashed_slack_gathers_from_few_buckets),
	KUNIT_CASE(overflow_takes_so_many_and_no_more),
	{}
};

static struct kunit_suite scheme_suite = {
	.name = "wheel_timer_scheme",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = scheme_cases,
};

kunit_test_suite(scheme_suite);
