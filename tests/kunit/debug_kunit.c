// SPDX-License-Identifier: GPL-2.0
/*
 * Correct code that debugobjects must not report. A report is a warning and fails the test run.
 * Without debugobjects, the tests must pass, too. Other tests check that bugs are reported.
 */
#include <linux/slab.h>

#include "rig.h"

/* Allocate a timer that is not part of another object. */
static struct wheel_timer *timer_new(struct kunit *test, struct rig *rig,
				     wheel_timer_fn function)
{
	struct wheel_timer *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, timer);
	wheel_timer_init(timer, rig->wheel, function);
	return timer;
}

static void ignore(struct wheel_timer *timer)
{
}

static void freed_after_a_push(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 0);
	struct wheel_timer *timer = timer_new(test, rig, ignore);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(timer, TICK, 0), 0);
	KUNIT_EXPECT_TRUE(test, wheel_timer_push(timer, 9 * TICK));
	rig_advance(rig, TICK);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(timer));
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), 0);
	kfree(timer);
}

static void freed_after_a_batch(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 0);
	struct wheel_timer *timers[2];
	struct wheel_arm arms[2] = {};
	int res[2], i;

	for (i = 0; i < 2; i++) {
		timers[i] = timer_new(test, rig, ignore);
		arms[i].timer = timers[i];
		arms[i].deadline = TICK;
	}
	KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, arms, 2), 2);
	KUNIT_EXPECT_EQ(test, wheel_cancel_batch(rig->wheel, timers, res, 2), 2);
	kfree(timers[0]);
	kfree(timers[1]);
}

static void freed_after_stop(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 0);
	struct wheel_timer *timer = timer_new(test, rig, ignore);
	LIST_HEAD(unfired);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(timer, TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
	KUNIT_EXPECT_PTR_EQ(test, unfired.next, &timer->node);
	kfree(timer);
}

static void freed_after_destroy(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 0);
	struct wheel_timer *timer = timer_new(test, rig, ignore);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(timer, TICK, 0), 0);
	wheel_destroy(rig->wheel);
	rig->wheel = NULL;
	kfree(timer);
}

static struct kunit_case debug_cases[] = {
	KUNIT_CASE(freed_after_a_push),
	KUNIT_CASE(freed_after_a_batch),
	KUNIT_CASE(freed_after_stop),
	KUNIT_CASE(freed_after_destroy),
	{}
};

static struct kunit_suite debug_suite = {
	.name = "wheel_timer_debug",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = debug_cases,
};

kunit_test_suite(debug_suite);
