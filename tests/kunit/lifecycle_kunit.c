// SPDX-License-Identifier: GPL-2.0
/*
 * Creation, stop and destruction. As in the tests of Netty's HashedWheelTimer, stop returns the
 * pending timers, nothing can be armed afterwards, and the limit is enforced.
 */
#include "callback_rig.h"
#include "schemes.h"

static u32 count_and_clear(struct list_head *list)
{
	struct wheel_timer *timer, *next;
	u32 count = 0;

	list_for_each_entry_safe(timer, next, list, node) {
		list_del(&timer->node);
		count++;
	}
	return count;
}

/* When the wheel is stopped, timers 3 to 7 of 8 are pending. */
static void stop_hands_back_the_unprocessed(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 8);
	struct wheel_timer *timer;
	LIST_HEAD(unfired);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (i + 1) * TICK), 0);
	rig_advance(rig, 3 * TICK);
	KUNIT_ASSERT_TRUE(test, rig_push(rig, 7, 50 * TICK));
	KUNIT_ASSERT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);

	list_for_each_entry(timer, &unfired, node) {
		struct probe *probe = from_wheel_timer(probe, timer, timer);

		KUNIT_EXPECT_PTR_EQ(test, probe->rig, rig);
		KUNIT_EXPECT_GE(test, probe->id, 3);
		KUNIT_EXPECT_EQ(test, probe->calls, 0);
		KUNIT_EXPECT_FALSE(test, wheel_timer_pending(timer));
		KUNIT_EXPECT_EQ(test, wheel_timer_deadline(timer),
				(probe->id == 7 ? 50 : probe->id + 1) * TICK);
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), -ENOENT);
		probe->calls++;
	}
	KUNIT_EXPECT_EQ(test, count_and_clear(&unfired), 5);
	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_EQ(test, rig->probes[i].calls, 1);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->fired, 3);
	KUNIT_EXPECT_EQ(test, rig->stats.cancelled, 5);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 0);
}

static void nothing_is_armed_after_stop(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	struct wheel_timer *fired = &rig->probes[0].timer;
	struct wheel_timer *fresh = &rig->probes[1].timer;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, TICK), 0);
	rig_advance(rig, TICK);
	KUNIT_ASSERT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(fired, 5 * TICK, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(fresh, 5 * TICK, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(fresh, 5 * TICK, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(fresh, 5 * TICK, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(fired), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(fresh), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(fresh), -ENOENT);
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(fired));
	KUNIT_EXPECT_EQ(test, rig_advance(rig, WHEEL_MAX_TIME), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	/* The time of the last expiry remains available. */
	KUNIT_EXPECT_EQ(test, wheel_timer_fired(fired), TICK);
}

static void stop_wheel(struct probe *probe)
{
	LIST_HEAD(unfired);

	probe->answer = wheel_stop(probe->rig->wheel, &unfired);
	if (!list_empty(&unfired))
		probe->answer = 1;
}

/* wheel_stop() would wait for itself. It fails, nothing changes, and the next timer expires. */
static void stop_from_a_callback(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], NSEC_PER_MSEC, 2);
		u64 now = rig_now(rig);

		rig->probes[0].action = stop_wheel;
		rig_await(rig, 2);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now), 0);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, now + 20 * NSEC_PER_MSEC), 0);
		rig_wait(rig);
		KUNIT_EXPECT_EQ(test, rig->probes[0].answer, -EDEADLK);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 0);
	}
}

/* wheel_destroy() without wheel_stop() waits for the running callback. */
static void destroy_waits_for_the_callback(struct kunit *test)
{
	struct rig *rig = rig_running(test, WHEEL_SLEEPABLE, NSEC_PER_MSEC, 1);

	rig->probes[0].action = rig_pass_gate;
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	rig_wait_for(rig, &rig->entered);
	rig_open_gate_soon(rig);
	wheel_destroy(rig->wheel);
	rig->wheel = NULL;
	KUNIT_EXPECT_TRUE(test, completion_done(&rig->done));
}

static struct kunit_case lifecycle_cases[] = {
	FAR_CASE(stop_hands_back_the_unprocessed),
	FAR_CASE(nothing_is_armed_after_stop),
	FAR_CASE(stop_from_a_callback),
	FAR_CASE(destroy_waits_for_the_callback),
	{}
};

static struct kunit_suite lifecycle_suite = {
	.name = "wheel_timer_lifecycle",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = lifecycle_cases,
};

kunit_test_suite(lifecycle_suite);
