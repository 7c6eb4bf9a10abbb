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

/* The range starts at the current time, even if a pass is late because softirqs are disabled. */
static void bound_counts_from_now_before_a_late_pass(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "bounded",
		.scheme = WHEEL_BOUNDED,
		.buckets = BOUND,
		.tick_ns = NSEC_PER_MSEC,
	};
	struct rig *rig = rig_new(test, &config, 2);
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
	KUNIT_CASE(bound_counts_from_now_before_a_late_pass),
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
