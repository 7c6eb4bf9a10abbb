// SPDX-License-Identifier: GPL-2.0
/*
 * A wheel with an expire function, which processes expired timers in batches. Each timer of a batch
 * behaves like one whose callback is running.
 */
#include <linux/slab.h>

#include "schemes.h"

/**
 * struct batches - Batches received so far
 * @calls: number of batches
 * @most: size of the largest batch
 * @wrong: number of invalid batches
 * @whole: function called with a batch before its timers are counted, or NULL
 */
struct batches {
	u32	calls;
	u32	most;
	u32	wrong;
	void	(*whole)(struct rig *rig, struct wheel_timer **due, u32 n);
};

static bool as_promised(struct wheel *wheel, struct wheel_timer **due,
			unsigned int n, u64 now)
{
	u32 i;

	if (!n || n > WHEEL_BATCH || now > wheel_now(wheel))
		return false;
	for (i = 0; i < n; i++) {
		if (wheel_timer_wheel(due[i]) != wheel ||
		    wheel_timer_pending(due[i]) ||
		    wheel_timer_deadline(due[i]) > now ||
		    wheel_timer_fired(due[i]) != now)
			return false;
	}
	return true;
}

static void take_batch(struct wheel *wheel, struct wheel_timer **due,
		       unsigned int n, u64 now)
{
	struct probe *probe = from_wheel_timer(probe, due[0], timer);
	struct rig *rig = probe->rig;
	struct batches *batches = rig->own;
	u32 i;

	batches->calls++;
	batches->most = max(batches->most, n);
	batches->wrong += !as_promised(wheel, due, n, now);
	if (batches->whole)
		batches->whole(rig, due, n);
	for (i = 0; i < n; i++)
		probe_fire(due[i]);
}

/* Create a fixture whose timers have no callback functions. */
static struct rig *batching(struct kunit *test, u32 count)
{
	const struct wheel_config config = {
		.name = "batching",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = TICK,
		.expire = take_batch,
	};
	struct rig *rig = rig_new(test, &config, count);
	u32 i;

	rig->own = kunit_kzalloc(test, sizeof(struct batches), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->own);
	for (i = 0; i < count; i++)
		wheel_timer_init(&rig->probes[i].timer, rig->wheel, NULL);
	return rig;
}

static struct batches *expect_batches(struct rig *rig)
{
	struct batches *batches = rig->own;

	KUNIT_EXPECT_GT(rig->test, batches->calls, 0);
	KUNIT_EXPECT_EQ(rig->test, batches->wrong, 0);
	return batches;
}

/* A batch has at most WHEEL_BATCH timers. */
static void p9_batches_are_bounded(struct kunit *test)
{
	struct rig *rig = batching(test, 1000);
	struct batches *batches;
	u32 i;

	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	rig_advance(rig, 5 * TICK);
	batches = expect_batches(rig);
	KUNIT_EXPECT_EQ(test, batches->most, WHEEL_BATCH);
	/* The budget of a lock hold includes the buckets examined, so a batch may be smaller. */
	KUNIT_EXPECT_LE(test, batches->calls, 2 * 1000 / WHEEL_BATCH);
}

/* The callback of all timers of a batch is running: cancels fail, and waiting would deadlock. */
static void cancel_whole(struct rig *rig, struct wheel_timer **due, u32 n)
{
	struct batches *batches = rig->own;
	u32 i;

	for (i = 0; i < n; i++)
		batches->wrong += wheel_timer_cancel(due[i]) != -EALREADY ||
				  wheel_timer_rearm(due[i], 0, 0) != -ENOENT ||
				  wheel_timer_push(due[i], WHEEL_MAX_TIME) ||
				  wheel_timer_cancel_sync(due[i]) != -EDEADLK ||
				  wheel_timer_shutdown_sync(due[i]) != -EDEADLK;
	batches->wrong += wheel_stop(rig->wheel, NULL) != -EDEADLK;
	batches->wrong += wheel_timer_cancel(&rig->probes[n].timer) != 0;
	batches->whole = NULL;
}

static void p4_batch_cannot_be_cancelled(struct kunit *test)
{
	struct rig *rig = batching(test, 9);
	struct batches *batches = rig->own;
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (i < 8 ? 5 : 6) * TICK), 0);
	batches->whole = cancel_whole;
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, expect_batches(rig)->most, 8);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[i].timer),
				-ENOENT);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 99 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, 8);
}

/* A timer that is armed while its batch is processed is pending and also in its callback. */
static void arm_whole(struct rig *rig, struct wheel_timer **due, u32 n)
{
	struct batches *batches = rig->own;
	u32 i;

	for (i = 0; i < n; i++) {
		batches->wrong += wheel_timer_arm(due[i], 9 * TICK, 0) != 0 ||
				  wheel_timer_arm(due[i], 9 * TICK, 0) != -EBUSY ||
				  !wheel_timer_push(due[i], 10 * TICK);
	}
	batches->wrong += wheel_timer_cancel(due[0]) != 0 ||
			  wheel_timer_cancel(due[0]) != -EALREADY;
	batches->whole = NULL;
}

/*
 * probe_fire() is called after the timers were armed again, and reads the new deadlines, so
 * @shared disables the check for early callbacks.
 */
static void batch_arms_its_timers(struct kunit *test)
{
	struct rig *rig = batching(test, 8);
	struct batches *batches = rig->own;
	u32 i;

	rig->shared = true;
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	batches->whole = arm_whole;
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 7);
	rig_advance(rig, 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 8);
	rig_advance(rig, 10 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 15);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 1);
	expect_batches(rig);
}

static struct kunit_case expire_cases[] = {
	ANY_CASE(p9_batches_are_bounded),
	ANY_CASE(p4_batch_cannot_be_cancelled),
	ANY_CASE(batch_arms_its_timers),
	{}
};

static struct kunit_suite expire_suite = {
	.name = "wheel_timer_expire",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = expire_cases,
};

kunit_test_suite(expire_suite);
