// SPDX-License-Identifier: GPL-2.0
/*
 * wheel_timer_push() combined with other operations: only a pending timer can be pushed, and the
 * last operation takes effect.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>

#include "callback_rig.h"
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
		KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[i].timer), (1 + i) * TICK);
	}
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
