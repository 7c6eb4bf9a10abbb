// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks that are moved. A VIRTUAL clock is moved by a task that is being killed. The real-time
 * clock is set back during a pass, by a callback, or after a pass has yielded. The tests restore
 * it immediately.
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "callback_rig.h"

#define BACK	(10 * (s64)NSEC_PER_SEC)

static void set_back(struct probe *probe)
{
	rig_step_clock(-BACK);
	probe->answer = wheel_timer_arm(&probe->other->timer,
					rig_now(probe->rig) + NSEC_PER_MSEC, 0);
}

/*
 * Two timers are due, and the callback of the first one sets the clock back. The second one must
 * expire when its deadline is reached again. A third timer, armed for the new time, must not wait
 * for the second one.
 */
static void p1_set_back_in_a_pass(struct kunit *test)
{
	static const u32 clocks[] = { WHEEL_CLOCK_REALTIME, WHEEL_CLOCK_TAI };
	static const u32 order[] = { 0, 2, 1 };
	int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		const struct wheel_config config = {
			.name = "clock",
			.clock = clocks[i],
			.flags = WHEEL_SLEEPABLE,
		};
		struct rig *rig = rig_new(test, &config, 3);
		u64 when = rig_now(rig) + 20 * NSEC_PER_MSEC;

		rig->probes[0].action = set_back;
		rig->probes[0].other = &rig->probes[2];
		rig_await(rig, 2);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, when), 0);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, when), 0);
		rig_wait(rig);
		KUNIT_EXPECT_TRUE(test, wheel_timer_pending(&rig->probes[1].timer));
		rig_await(rig, 3);
		rig_step_clock(BACK);
		rig_wait(rig);
		rig_expect_log(rig, order, 3);
		KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
		KUNIT_EXPECT_GE(test, wheel_timer_fired(&rig->probes[1].timer), when);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->late[63], 0);
	}
}

/* Each operation that moves a timer must read the clock first, otherwise it uses the old time. */
static void p2_moved_when_set_back(struct kunit *test)
{
	static int (* const verbs[])(struct wheel_timer *, u64, u64) = {
		wheel_timer_rearm, wheel_timer_mod,
	};
	const struct wheel_config config = {
		.name = "clock",
		.clock = WHEEL_CLOCK_REALTIME,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		struct rig *rig = rig_new(test, &config, 1);
		struct wheel_timer *timer = &rig->probes[0].timer;

		rig_await(rig, 1);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig) + BACK), 0);
		rig_step_clock(-BACK);
		KUNIT_EXPECT_LE(test, 0, verbs[i](timer, rig_now(rig) + NSEC_PER_MSEC, 0));
		rig_wait(rig);
		KUNIT_EXPECT_LT(test, wheel_timer_fired(timer),
				wheel_timer_deadline(timer) + BACK / 2);
		rig_step_clock(BACK);
	}
}

/* Index of a callback after which the run exceeds its time limit and yields for 1/16 of it. */
#define LONG	20

static void take_long(struct probe *probe)
{
	mdelay(100);
	WRITE_ONCE(probe->answer, 1);
}

/* The clock is set back after a pass has yielded. A timer that is armed then must not be late. */
static void p2_set_back_while_a_pass_rests(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "clock",
		.clock = WHEEL_CLOCK_REALTIME,
	};
	struct rig *rig = rig_new(test, &config, 101);
	struct wheel_timer *timer = &rig->probes[100].timer;
	u64 when = rig_now(rig) + 5 * NSEC_PER_MSEC;
	u32 i;

	/* On a busy machine, a callback may read the clock after it was set back. */
	rig->shared = true;
	rig->probes[LONG].action = take_long;
	rig_await(rig, rig->count);
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, when), 0);
	while (!READ_ONCE(rig->probes[LONG].answer))
		cond_resched();
	mdelay(1);
	rig_step_clock(-BACK);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 100, rig_now(rig) + NSEC_PER_MSEC), 0);
	while (!READ_ONCE(rig->probes[100].calls) && rig_now(rig) < when)
		cond_resched();
	rig_step_clock(BACK);
	rig_wait(rig);
	KUNIT_EXPECT_LT(test, wheel_timer_fired(timer),
			wheel_timer_deadline(timer) + BACK / 2);
}

/*
 * More timers than one run expires. A task that is being killed returns after a run, and the next
 * call continues.
 */
static void kill_ends_an_advance(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "virtual",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.tick_ns = TICK,
	};
	struct rig *rig = rig_new(test, &config, 20000);
	u32 i, calls;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, TICK), 0);
	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	rig_advance(rig, TICK);
	disallow_signal(SIGKILL);
	flush_signals(current);
	calls = rig->calls;
	KUNIT_EXPECT_LT(test, calls, rig->count);
	KUNIT_EXPECT_EQ(test, rig_now(rig), TICK);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, rig->count);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(kill_ends_an_advance),
	KUNIT_CASE(p1_set_back_in_a_pass),
	KUNIT_CASE(p2_moved_when_set_back),
	KUNIT_CASE(p2_set_back_while_a_pass_rests),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "wheel_timer_clock",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
