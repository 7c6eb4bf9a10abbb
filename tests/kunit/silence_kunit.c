// SPDX-License-Identifier: GPL-2.0
/*
 * P7: no wake-up before the first timer is due, except for at most one per cancelled or moved
 * timer.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>

#include "schemes.h"

/* Wait, to detect unexpected wake-ups. */
static void expect_wakeups(struct rig *rig, u64 at_most)
{
	usleep_range(50000, 60000);
	KUNIT_EXPECT_LE(rig->test, rig_stats(rig)->wakeups, at_most);
}

static void p7_silence_when_idle(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 1);

	expect_wakeups(rig, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.passes, 0);
}

/* One wake-up for the near timer, but none per revolution of 1.6 ms for the far ones. */
static void p7_silence_before_far_timers(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "far",
		.buckets = 16,
		.tick_ns = 100 * NSEC_PER_USEC,
	};
	struct rig *rig = rig_new(test, &config, 100);
	u64 now = rig_now(rig);
	u32 i;

	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + (60 + i) *
					      NSEC_PER_SEC), 0);
	expect_wakeups(rig, 0);
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig)), 0);
	rig_wait(rig);
	expect_wakeups(rig, 1);
	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[i].timer), 0);
	expect_wakeups(rig, 1);
}

/*
 * At most one wake-up for the cancelled timers, then none. Interrupts are disabled, so that no
 * wake-up occurs between arming and cancelling.
 */
static void p7_silence_after_a_cancel(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, 100 * NSEC_PER_USEC, 12);
	u64 now = rig_now(rig);
	unsigned long flags;
	int error = 0;
	u32 i;

	local_irq_save(flags);
	for (i = 0; i < 10; i++)
		error |= rig_arm(rig, i, now + (40 + i) * NSEC_PER_MSEC);
	error |= rig_arm(rig, 10, now + 60 * NSEC_PER_SEC);
	for (i = 0; i < 10; i++)
		error |= wheel_timer_cancel(&rig->probes[i].timer);
	local_irq_restore(flags);
	KUNIT_ASSERT_EQ(test, error, 0);
	expect_wakeups(rig, 1);
	expect_wakeups(rig, 1);
}

/*
 * An overdue timer causes no interrupt before the next tick boundary, even if the wheel has not
 * read the clock for some ticks.
 */
static void p9_overdue_waits_for_the_boundary(struct kunit *test)
{
	const u64 tick = 50 * NSEC_PER_MSEC;
	struct rig *rig = rig_running(test, 0, tick, 2);
	u64 boundary;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig) + 60 * NSEC_PER_SEC), 0);
	/* Wait for two ticks, during which the wheel does not read the clock. */
	usleep_range(110000, 120000);
	rig_await(rig, 1);
	boundary = (div64_u64(rig_now(rig), tick) + 1) * tick;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 1), 0);
	rig_wait(rig);
	KUNIT_EXPECT_GE(test, rig->probes[1].seen, boundary);
}

/*
 * One wake-up serves all timers of a tick. There are few enough timers that a pass does not check
 * its runtime; otherwise, on a slow machine, it could yield and need another wake-up.
 */
static void p7_silence_between_ticks(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 50);
	u64 now = rig_now(rig) + 200 * NSEC_PER_MSEC;
	unsigned long flags;
	int error = 0;
	u32 i;

	rig_await(rig, rig->count);
	local_irq_save(flags);
	for (i = 0; i < rig->count; i++)
		error |= rig_arm(rig, i, now + (i % 5) * 5 * NSEC_PER_MSEC);
	local_irq_restore(flags);
	KUNIT_ASSERT_EQ(test, error, 0);
	rig_wait(rig);
	expect_wakeups(rig, 5);
}

/* A VIRTUAL clock moves only with wheel_advance_to(), and causes no wake-ups. */
static void p7_silence_of_a_virtual_clock(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	expect_wakeups(rig, 0);
	KUNIT_EXPECT_EQ(test, wheel_now(rig->wheel), 0);
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, 0);
}

static struct kunit_case silence_cases[] = {
	ANY_CASE(p7_silence_when_idle),
	FAR_CASE(p7_silence_before_far_timers),
	FAR_CASE(p7_silence_after_a_cancel),
	FAR_CASE(p9_overdue_waits_for_the_boundary),
	ANY_CASE(p7_silence_between_ticks),
	ANY_CASE(p7_silence_of_a_virtual_clock),
	{}
};

static struct kunit_suite silence_suite = {
	.name = "wheel_timer_silence",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = silence_cases,
};

kunit_test_suite(silence_suite);
