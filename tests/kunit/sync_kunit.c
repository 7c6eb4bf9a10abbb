// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for a running callback: cancel_sync() and shutdown_sync(). The callbacks sleep until the
 * test opens a gate, usually while a task waits for them.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "callback_rig.h"

/* Create a fixture in which the callback of timer 0 is running. */
static struct rig *entered(struct kunit *test, probe_fn action)
{
	struct rig *rig = rig_running(test, WHEEL_SLEEPABLE, NSEC_PER_MSEC, 2);

	rig->probes[0].action = action;
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	rig_wait_for(rig, &rig->entered);
	return rig;
}

/* Cancel returns -EALREADY while the callback is running, and -ENOENT afterwards. */
static void cancel_tells_that_it_runs(struct kunit *test)
{
	struct rig *rig = entered(test, rig_pass_gate);
	struct wheel_timer *timer = &rig->probes[0].timer;

	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), -EALREADY);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), -EALREADY);
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(timer));
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(timer, 0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[1].timer), -ENOENT);
	KUNIT_EXPECT_FALSE(test, completion_done(&rig->done));
	complete_all(&rig->gate);
	rig_wait(rig);
	wheel_timer_cancel_sync(timer);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), -ENOENT);
}

/* cancel_sync() of a timer whose callback is not running does not wait for other callbacks. */
static void cancel_sync_waits_for_its_own_only(struct kunit *test)
{
	struct rig *rig = entered(test, rig_pass_gate);
	struct wheel_timer *other = &rig->probes[1].timer;

	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(other), -ENOENT);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(other), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(other), -ENOENT);
	KUNIT_EXPECT_FALSE(test, completion_done(&rig->done));
}

/* The timer can never be armed again; other timers of the wheel are not affected. */
static void shutdown_is_for_ever(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 3);
	struct wheel_timer *pending = &rig->probes[0].timer;
	struct wheel_timer *idle = &rig->probes[1].timer;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 2, TICK), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(pending), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(pending), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(idle), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(pending, TICK, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(pending, TICK, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(idle, TICK, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(pending, TICK, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(pending), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(pending), -ENOENT);
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(pending));
	rig_advance(rig, 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	KUNIT_EXPECT_EQ(test, rig->log[0], 2);

	/* After initialization, the same memory can be used for another timer. */
	wheel_timer_init(pending, rig->wheel, probe_fire);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(pending, 10 * TICK, 0), 0);
	rig_advance(rig, 10 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
}

/*
 * Callback that arms its timer until this fails. It must fail as soon as another task is in
 * shutdown_sync(), even though the callback is running (cf. CVE-2026-23393 and
 * CVE-2025-68214).
 */
static void arm_until_refused(struct probe *probe)
{
	int tries;

	complete(&probe->rig->entered);
	for (tries = 0; tries < 30 * HZ; tries++) {
		probe->answer = wheel_timer_arm(&probe->timer, WHEEL_MAX_TIME, 0);
		if (probe->answer == -ESHUTDOWN)
			return;
		schedule_timeout_uninterruptible(1);
	}
}

static void shutdown_refuses_the_callback(struct kunit *test)
{
	struct rig *rig = entered(test, arm_until_refused);
	struct wheel_timer *timer = &rig->probes[0].timer;

	wheel_timer_shutdown_sync(timer);
	KUNIT_EXPECT_TRUE(test, completion_done(&rig->done));
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, -ESHUTDOWN);
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(timer));
}

static void stop_refuses_the_callback(struct kunit *test)
{
	struct rig *rig = entered(test, arm_until_refused);

	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	KUNIT_EXPECT_TRUE(test, completion_done(&rig->done));
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
}

static void pass_gate_and_arm(struct probe *probe)
{
	rig_pass_gate(probe);
	probe->answer = wheel_timer_arm(&probe->timer, 0, 0);
}

/*
 * If a callback arms its timer again while cancel_sync() waits for it, the timer is neither pending
 * nor running afterwards.
 */
static void cancel_sync_ends_one_that_arms_itself(struct kunit *test)
{
	struct rig *rig = entered(test, pass_gate_and_arm);
	struct wheel_timer *timer = &rig->probes[0].timer;
	u32 calls;

	rig_open_gate_soon(rig);
	wheel_timer_cancel_sync(timer);
	calls = rig->calls;
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(timer));
	usleep_range(5000, 6000);
	KUNIT_EXPECT_EQ(test, rig->calls, calls);
}

static void sync_itself(struct probe *probe)
{
	struct wheel_timer *timer = &probe->timer;

	probe->answer = wheel_timer_cancel_sync(timer) == -EDEADLK &&
			wheel_timer_shutdown_sync(timer) == -EDEADLK &&
			wheel_timer_arm(timer, WHEEL_MAX_TIME, 0) == 0 &&
			wheel_timer_cancel_sync(timer) == -EDEADLK &&
			wheel_timer_pending(timer);
}

/* A callback that waits for itself gets -EDEADLK, in softirq and in process context. */
static void sync_from_its_own_callback(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], NSEC_PER_MSEC, 1);

		rig->probes[0].action = sync_itself;
		rig_await(rig, 1);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
		rig_wait(rig);
		KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(&rig->probes[0].timer), 0);
	}
}

static struct kunit_case sync_cases[] = {
	KUNIT_CASE(cancel_tells_that_it_runs),
	KUNIT_CASE(cancel_sync_waits_for_its_own_only),
	KUNIT_CASE(shutdown_is_for_ever),
	KUNIT_CASE(shutdown_refuses_the_callback),
	KUNIT_CASE(stop_refuses_the_callback),
	KUNIT_CASE(cancel_sync_ends_one_that_arms_itself),
	KUNIT_CASE(sync_from_its_own_callback),
	{}
};

static struct kunit_suite sync_suite = {
	.name = "wheel_timer_sync",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = sync_cases,
};

kunit_test_suite(sync_suite);
