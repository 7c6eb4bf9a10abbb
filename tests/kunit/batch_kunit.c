// SPDX-License-Identifier: GPL-2.0
/*
 * wheel_arm_batch() and wheel_cancel_batch(): the results are the same as with separate calls.
 */
#include <linux/interrupt.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "compat.h"
#include "interrupts.h"
#include "schemes.h"

/* Needs more than three lock holds. */
#define MANY		(3 * WHEEL_BATCH + 7)

struct batch {
	struct wheel_arm	arms[MANY];
	struct wheel_timer	*timers[MANY];
	int			res[MANY];
};

/* Create a batch of all timers of a fixture, with one deadline and invalid results. */
static struct batch *batch_of(struct rig *rig, u64 deadline)
{
	struct batch *batch = kunit_kzalloc(rig->test, sizeof(*batch), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(rig->test, batch);
	for (i = 0; i < rig->count; i++) {
		batch->timers[i] = &rig->probes[i].timer;
		batch->arms[i].timer = batch->timers[i];
		batch->arms[i].deadline = deadline;
		batch->arms[i].res = 0xcc;
		batch->res[i] = 0xcc;
	}
	return batch;
}

static void expect_answers(struct rig *rig, const struct batch *batch, int res)
{
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ_MSG(rig->test, batch->arms[i].res, res, "arm %u", i);
}

static void arm_all(struct rig *rig)
{
	struct batch *batch = batch_of(rig, 5 * TICK);

	KUNIT_EXPECT_EQ(rig->test,
			wheel_arm_batch(rig->wheel, batch->arms, MANY), MANY);
}

/* A lock hold arms at most 64 timers, or one if arming walks a list. */
static void p9_bounded_work_of_a_batch(struct kunit *test)
{
	const struct rig_bench *bench = test->priv;
	struct rig *rig = rig_virtual(test, TICK, MANY);
	u32 holds = MANY / WHEEL_BATCH;

	if (!IS_ENABLED(CONFIG_TRACE_IRQFLAGS))
		kunit_skip(test, "requires lockdep, which counts lock holds");
	if (bench->scheme == WHEEL_OVERFLOW)
		holds = MANY;
	KUNIT_EXPECT_GE(test, interrupts_let_in(rig, arm_all), holds);
}

/* The timers are armed in the order of the array, also across lock holds. */
static void p5_batch_comes_in_order(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	struct batch *batch = batch_of(rig, 5 * TICK);
	u32 i;

	KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, MANY), MANY);
	expect_answers(rig, batch, 0);
	rig_advance(rig, 5 * TICK);
	KUNIT_ASSERT_EQ(test, rig->calls, MANY);
	for (i = 0; i < MANY; i++)
		KUNIT_ASSERT_EQ(test, rig->log[i], i);
}

static void batches_of_every_size(struct kunit *test)
{
	static const u32 sizes[] = {
		0, 1, 2, WHEEL_BATCH - 1, WHEEL_BATCH, WHEEL_BATCH + 1,
		2 * WHEEL_BATCH, MANY,
	};
	struct rig *rig = rig_virtual(test, TICK, MANY);
	struct batch *batch = batch_of(rig, 5 * TICK);
	u64 sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u32 n = sizes[i];

		KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, n), n);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, n);
		KUNIT_EXPECT_EQ(test, wheel_cancel_batch(rig->wheel, batch->timers,
							 batch->res, n), n);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
		sum += n;
	}
	KUNIT_EXPECT_EQ(test, rig->stats.armed, sum);
	KUNIT_EXPECT_EQ(test, rig->stats.cancelled, sum);
}

/* A timer that cannot be armed is not changed, and does not affect the others. */
static void batch_answers_each(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 6);
	struct batch *batch = batch_of(rig, 5 * TICK);
	static const int want[] = { 0, -EBUSY, -ERANGE, -ERANGE, -ESHUTDOWN, -EINVAL };
	static const u32 order[] = { 0, 1 };
	u32 i;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 7 * TICK), 0);
	batch->arms[2].deadline = WHEEL_MAX_TIME + 1;
	batch->arms[3].slack = WHEEL_MAX_TIME + 1;
	wheel_timer_shutdown_sync(batch->timers[4]);
	wheel_timer_init(batch->timers[5], rig->wheel, NULL);
	KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, 6), 1);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_EQ_MSG(test, batch->arms[i].res, want[i], "arm %u", i);
		KUNIT_EXPECT_EQ(test, wheel_timer_pending(batch->timers[i]), i < 2);
	}
	rig_advance(rig, 9 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* When the same timer is armed for the second time, it is pending. */
static void batch_with_one_timer_twice(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	struct batch *batch = batch_of(rig, 5 * TICK);

	batch->arms[1].timer = batch->timers[0];
	batch->timers[1] = batch->timers[0];
	KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, 2), 1);
	KUNIT_EXPECT_EQ(test, batch->arms[1].res, -EBUSY);
	KUNIT_EXPECT_EQ(test, wheel_cancel_batch(rig->wheel, batch->timers,
						 batch->res, 2), 1);
	KUNIT_EXPECT_EQ(test, batch->res[0], 0);
	KUNIT_EXPECT_EQ(test, batch->res[1], -ENOENT);
}

/* The limit is reached exactly, within a batch. */
static void batch_meets_the_limit(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "limit",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.tick_ns = TICK,
		.limit = 100,
	};
	struct rig *rig = rig_new(test, &config, MANY);
	struct batch *batch = batch_of(rig, 5 * TICK);
	u32 i;

	KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, MANY), 100);
	for (i = 0; i < MANY; i++)
		KUNIT_ASSERT_EQ(test, batch->arms[i].res, i < 100 ? 0 : -EDQUOT);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->refused, MANY - 100);
}

static void cancel_all(struct probe *probe)
{
	struct batch *batch = probe->rig->own;

	probe->answer = wheel_cancel_batch(probe->rig->wheel, batch->timers,
					   batch->res, probe->rig->count);
}

/* Cancelled by a callback: one timer has expired, one is in its callback, others are pending. */
static void p4_cancel_batch_is_decisive(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	struct batch *batch = batch_of(rig, 5 * TICK);
	u32 i;

	rig->own = batch;
	rig->probes[1].action = cancel_all;
	KUNIT_ASSERT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, MANY), MANY);
	rig_advance(rig, 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	KUNIT_EXPECT_EQ(test, rig->probes[1].answer, MANY - 2);
	KUNIT_EXPECT_EQ(test, batch->res[0], -ENOENT);
	KUNIT_EXPECT_EQ(test, batch->res[1], -EALREADY);
	for (i = 2; i < MANY; i++)
		KUNIT_ASSERT_EQ(test, batch->res[i], 0);
}

struct interrupt {
	struct hrtimer		timer;
	struct rig		*rig;
	struct batch		*batch;
	struct completion	done;
	u32			armed;
	u32			cancelled;
	bool			there;
};

static enum hrtimer_restart batch_in_hardirq(struct hrtimer *timer)
{
	struct interrupt *in = container_of(timer, struct interrupt, timer);
	struct wheel *wheel = in->rig->wheel;

	in->there = in_hardirq();
	in->armed = wheel_arm_batch(wheel, in->batch->arms, MANY);
	in->cancelled = wheel_cancel_batch(wheel, in->batch->timers,
					   in->batch->res, MANY / 2);
	complete(&in->done);
	return HRTIMER_NORESTART;
}

static void batches_from_hardirq(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	struct interrupt *in = kunit_kzalloc(test, sizeof(*in), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, in);
	in->rig = rig;
	in->batch = batch_of(rig, 5 * TICK);
	init_completion(&in->done);
	hrtimer_setup(&in->timer, batch_in_hardirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&in->timer, 0, HRTIMER_MODE_REL_HARD);
	wait_for_completion(&in->done);
	hrtimer_cancel(&in->timer);
	KUNIT_EXPECT_TRUE(test, in->there);
	KUNIT_EXPECT_EQ(test, in->armed, MANY);
	KUNIT_EXPECT_EQ(test, in->cancelled, MANY / 2);
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, MANY - MANY / 2);
}

/* A timer of another wheel is not changed, because the lock of its wheel is not held. */
static void batch_leaves_strangers_alone(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	struct rig *other = rig_virtual(test, TICK, 1);
	struct batch *batch = batch_of(rig, 5 * TICK);

	batch->timers[3] = &other->probes[0].timer;
	batch->arms[3].timer = batch->timers[3];
	KUNIT_EXPECT_EQ(test, wheel_arm_batch(rig->wheel, batch->arms, MANY), MANY - 1);
	KUNIT_EXPECT_EQ(test, batch->arms[3].res, -EINVAL);
	KUNIT_EXPECT_EQ(test, rig_arm(other, 0, 5 * TICK), 0);
	KUNIT_EXPECT_EQ(test, wheel_cancel_batch(rig->wheel, batch->timers, batch->res,
						 MANY), MANY - 1);
	KUNIT_EXPECT_EQ(test, batch->res[3], -EINVAL);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(batch->timers[3]));
}

static struct kunit_case batch_cases[] = {
	ANY_CASE(p5_batch_comes_in_order),
	ANY_CASE(batch_leaves_strangers_alone),
	ANY_CASE(p9_bounded_work_of_a_batch),
	ANY_CASE(batches_of_every_size),
	ANY_CASE(batch_answers_each),
	ANY_CASE(batch_with_one_timer_twice),
	ANY_CASE(batch_meets_the_limit),
	ANY_CASE(p4_cancel_batch_is_decisive),
	ANY_CASE(batches_from_hardirq),
	{}
};

static struct kunit_suite batch_suite = {
	.name = "wheel_timer_batch",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = batch_cases,
};

kunit_test_suite(batch_suite);
