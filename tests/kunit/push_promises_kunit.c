// SPDX-License-Identifier: GPL-2.0
/*
 * Guarantees for timers that are pushed. A push postpones a deadline without the wheel. The wheel
 * examines the timer at the old deadline, and all guarantees apply to the current deadline.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>

#include "schemes.h"

/* The clock advances by random steps, and timers are pushed repeatedly in between. */
static void p1_pushed_is_never_early(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1000);
	u64 now = 0;
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, i, rig_random(rig, 1000 * TICK),
						    i & 1 ? 20 * TICK : 0), 0);
	while (now < 3000 * TICK) {
		for (i = 0; i < 8; i++)
			rig_push(rig, rig_random(rig, rig->count),
				 now + rig_random(rig, 500 * TICK));
		now += 1 + rig_random(rig, 3 * TICK);
		rig_advance(rig, now);
		KUNIT_ASSERT_EQ(test, rig->early, 0);
	}
	rig_advance(rig, 4000 * TICK);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig->probes[i].calls, 1);
	KUNIT_EXPECT_GT(test, rig_stats(rig)->requeued, 0);
}

static void expect_pushed(struct rig *rig, u64 old, u64 new)
{
	u64 due = due_at(max(old, new), wheel_now(rig->wheel), TICK);

	KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, 0, old), 0);
	KUNIT_ASSERT_TRUE(rig->test, rig_push(rig, 0, new));
	rig_expect_call_at(rig, due, 7000 * TICK);
}

/* Near and far deadlines, before, at and after a tick boundary. */
static void p2_pushed_comes_at_its_tick(struct kunit *test)
{
	static const u32 ahead[] = { 1, 2, 63, 64, 65, 255, 256, 257, 4096, 60000 };
	struct rig *rig = rig_virtual(test, TICK, 1);
	int from, to, around;

	for (from = 0; from < ARRAY_SIZE(ahead); from++) {
		for (to = from; to < ARRAY_SIZE(ahead); to++) {
			for (around = -1; around <= 1; around++) {
				u64 now = wheel_now(rig->wheel);

				expect_pushed(rig, now + ahead[from] * TICK,
					      now + ahead[to] * TICK + around);
			}
		}
	}
}

/* A timer pushed four times per tick expires 100 ticks after the last push. */
static void p2_pushed_again_and_again(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	u64 now;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 100 * TICK), 0);
	for (now = 0; now < 5000 * TICK; now += TICK / 4) {
		rig_advance(rig, now);
		KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, now + 100 * TICK));
	}
	KUNIT_ASSERT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_LE(test, rig_stats(rig)->requeued, 5000 / 99);
	rig_expect_call_at(rig, 5100 * TICK, TICK);
}

static void p3_pushed_comes_exactly_once(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 100);
	u32 i;

	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1 + i) * TICK), 0);
		KUNIT_ASSERT_TRUE(test, rig_push(rig, i, (1 + 3 * i) * TICK));
	}
	rig_advance(rig, 150 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->fired, 50);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 50);
	KUNIT_EXPECT_EQ(test, rig->stats.armed, 100);
	rig_advance(rig, 1000 * TICK);
	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_EQ(test, rig->probes[i].calls, 1);
}

/* Cancel a pushed timer, before and after the wheel has queued it again. */
static void p4_cancel_of_a_pushed_is_decisive(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
		KUNIT_ASSERT_TRUE(test, rig_push(rig, i, 50 * TICK));
	}
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[0].timer), 0);
	rig_advance(rig, 10 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(&rig->probes[1].timer), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, rig_push(rig, i, 60 * TICK));
		KUNIT_EXPECT_FALSE(test, wheel_timer_pending(&rig->probes[i].timer));
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 100 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

/* Pushed timers of one tick expire in the order in which the wheel queued them for it. */
static void p5_pushed_come_as_they_were_filed(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 4);
	static const u32 order[] = { 2, 1, 3, 0 };

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 9 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 5 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 2, 20 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, 20 * TICK));
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 1, 20 * TICK));
	rig_advance(rig, 7 * TICK);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 3, 20 * TICK), 0);
	rig_advance(rig, 20 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* This includes WHEEL_BOUNDED, which examines the timer once per revolution. */
static void p6_pushed_by_any_delay(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_EXPECT_FALSE(test, rig_push(rig, 0, WHEEL_MAX_TIME + 1));
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 5 * TICK);
	KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, WHEEL_MAX_TIME));
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer),
			WHEEL_MAX_TIME);
	rig_advance(rig, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(&rig->probes[0].timer));
}

static void p6_pushed_to_the_end_of_time(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 0, WHEEL_MAX_TIME));
	rig_advance(rig, WHEEL_MAX_TIME - 1);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	rig_advance(rig, WHEEL_MAX_TIME);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/*
 * Regardless of the number of pushes, the wheel examines the timer once, at its old deadline.
 * Interrupts are disabled during the first push, so that it precedes that time even on a slow
 * machine.
 */
static void p7_pushes_wake_nobody(struct kunit *test)
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

/* Each timer is queued after all others. WHEEL_OVERFLOW walks a list each time: short runs. */
static void p9_bounded_work_of_pushed(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1000);
	const struct rig_bench *bench = test->priv;
	u64 far = 100000 * TICK;
	u32 i;

	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, TICK), 0);
		KUNIT_ASSERT_TRUE(test, rig_push(rig, i, far - i * TICK));
	}
	rig_advance(rig, TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->requeued, rig->count);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, rig->count);
	if (bench->scheme == WHEEL_OVERFLOW)
		KUNIT_EXPECT_GE(test, rig->stats.passes, rig->count / 128);
}

/* A push counts neither as an arm nor as a re-arm. Queueing the timer again is counted. */
static void p11_exact_counters_of_pushes(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	u64 looks;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 10 * TICK), 0);
	for (looks = 1; looks <= 20; looks++) {
		KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, looks * 10 * TICK + TICK));
		KUNIT_EXPECT_TRUE(test, rig_push(rig, 0, looks * 10 * TICK + 10 * TICK));
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->requeued, looks - 1);
		rig_advance(rig, looks * 10 * TICK);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->requeued, looks);
	}
	KUNIT_EXPECT_EQ(test, rig->stats.armed, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.rearmed, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.refused, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 1);
}

static struct kunit_case push_promises_cases[] = {
	ANY_CASE(p1_pushed_is_never_early),
	ANY_CASE(p2_pushed_comes_at_its_tick),
	ANY_CASE(p2_pushed_again_and_again),
	ANY_CASE(p3_pushed_comes_exactly_once),
	ANY_CASE(p4_cancel_of_a_pushed_is_decisive),
	ANY_CASE(p5_pushed_come_as_they_were_filed),
	ANY_CASE(p6_pushed_by_any_delay),
	FAR_CASE(p6_pushed_to_the_end_of_time),
	ANY_CASE(p7_pushes_wake_nobody),
	ANY_CASE(p9_bounded_work_of_pushed),
	ANY_CASE(p11_exact_counters_of_pushes),
	{}
};

static struct kunit_suite push_promises_suite = {
	.name = "wheel_timer_push_promises",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = push_promises_cases,
};

kunit_test_suite(push_promises_suite);
