// SPDX-License-Identifier: GPL-2.0
/*
 * wheel_timer_push() combined with other operations: only a pending timer can be pushed, and the
 * last operation takes effect.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>

#include "schemes.h"

static void push_itself(struct probe *probe)
{
	probe->answer = rig_push(probe->rig, probe->id, 50 * TICK);
}

/* Timers that were never armed, are in their callback, were cancelled, shut down or stopped. */
static void push_of_what_does_not_pend(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 4);
	u32 i;

	KUNIT_EXPECT_FALSE(test, rig_push(rig, 0, 50 * TICK));
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1 + i) * TICK), 0);
	rig->probes[0].action = push_itself;
	rig->probes[0].answer = -1;
	rig_advance(rig, TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, false);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[1].timer), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(&rig->probes[2].timer), 0);
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_FALSE(test, rig_push(rig, i, 50 * TICK));
		KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[i].timer),
				(1 + i) * TICK);
	}
}

/* A push to an earlier deadline succeeds and changes nothing. */
static void push_earlier(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 9 * TICK), 0);
	KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, 5 * TICK));
	KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, 9 * TICK));
	KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, 0));
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 9 * TICK);
	rig_expect_call_at(rig, 9 * TICK, TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->requeued, 0);
}

/* A push within the due tick does not requeue the timer, even if the deadline has passed. */
static void push_within_its_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	static const u32 order[] = { 0, 1 };

	rig_advance(rig, 7 * TICK);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 2 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 8 * TICK), 0);
	KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, 7 * TICK + 1));
	rig_advance(rig, 8 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->requeued, 0);
}

/* The re-arm after a push takes effect. */
static void push_then_rearm(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct wheel_timer *timer = &rig->probes[0].timer;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, 50 * TICK));
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, 9 * TICK), -EBUSY);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(timer, 9 * TICK, 0), 0);
	rig_expect_call_at(rig, 9 * TICK, TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->requeued, 0);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 12 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, 50 * TICK));
	rig_advance(rig, 13 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(timer, 15 * TICK, 0), 1);
	rig_expect_call_at(rig, 15 * TICK, TICK);
}

/* wheel_stop() returns the timer with the pushed deadline. */
static void push_then_stop(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	LIST_HEAD(unfired);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, 50 * TICK));
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
	KUNIT_EXPECT_PTR_EQ(test, unfired.next, &rig->probes[0].timer.node);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 50 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 1);
}

/* Timers with 16 ticks of slack share tick 32; after the push, they share tick 48. */
static void push_keeps_the_slack(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 15);
	u32 i;

	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, i, (17 + i) * TICK,
						    16 * TICK), 0);
		KUNIT_ASSERT_TRUE(test, rig_push(rig, i, (33 + i) * TICK));
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 32 * TICK), 48 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 48 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, rig->count);
}

static void push_other(struct probe *probe)
{
	probe->answer = rig_push(probe->rig, 1, 9 * TICK);
}

/* The pushed timer is due at the tick that is being processed. */
static void callback_pushes_another_of_its_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 3);
	static const u32 order[] = { 0, 2, 1 };
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	rig->probes[0].action = push_other;
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, true);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	rig_advance(rig, 9 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* A pushed timer beyond the range is examined once per revolution and remains pending. */
static void push_beyond_the_bound(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "bounded",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = WHEEL_BOUNDED,
		.buckets = BUCKETS,
		.tick_ns = TICK,
	};
	struct rig *rig = rig_new(test, &config, 2);
	u64 far = 1000 * TICK + 1;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, far), -ERANGE);
	KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, 0, 10 * TICK, 8 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 10 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, far));
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 1, far));
	rig_advance(rig, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	rig_advance(rig, 1001 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[1].calls, 1);
	rig_advance(rig, 1009 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 1);
	KUNIT_EXPECT_GE(test, rig_stats(rig)->requeued, 2);
	KUNIT_EXPECT_LE(test, rig->stats.requeued, 2 * 5);
}

/*
 * Regardless of the number of pushes, the wheel examines the timer once, at its old deadline.
 * Interrupts are disabled during the first push, so that it precedes that time even on a slow
 * machine.
 */
static void p7_pushes_cause_no_wakeup(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 1);
	u64 now = rig_now(rig);
	unsigned long flags;
	bool pushed;
	int error;
	u32 i;

	local_irq_save(flags);
	error = rig_arm(rig, 0, now + 20 * NSEC_PER_MSEC);
	pushed = rig_push(rig, 0, now + 10 * NSEC_PER_SEC);
	local_irq_restore(flags);
	KUNIT_ASSERT_EQ(test, error, 0);
	KUNIT_ASSERT_TRUE(test, pushed);
	for (i = 1; i <= 10000; i++)
		KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, now + (10 + i) * NSEC_PER_SEC));
	while (!rig_stats(rig)->requeued)
		usleep_range(1000, 2000);
	/* Wait, to detect unexpected wake-ups. */
	usleep_range(60000, 70000);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.requeued, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 1);
}

static struct kunit_case push_cases[] = {
	ANY_CASE(push_of_what_does_not_pend),
	ANY_CASE(push_earlier),
	ANY_CASE(push_within_its_tick),
	ANY_CASE(push_then_rearm),
	ANY_CASE(push_then_stop),
	ANY_CASE(push_keeps_the_slack),
	ANY_CASE(callback_pushes_another_of_its_tick),
	KUNIT_CASE(push_beyond_the_bound),
	ANY_CASE(p7_pushes_cause_no_wakeup),
	{}
};

static struct kunit_suite push_suite = {
	.name = "wheel_timer_push",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = push_cases,
};

kunit_test_suite(push_suite);
