// SPDX-License-Identifier: GPL-2.0
/*
 * wheel_arm_batch() and wheel_cancel_batch(). model_kunit.c compares their results with those of
 * separate calls.
 */
#include <linux/slab.h>

#include "callback_rig.h"
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

static void arm_all(struct rig *rig)
{
	struct batch *batch = batch_of(rig, 5 * TICK);

	KUNIT_EXPECT_EQ(rig->test,
			wheel_arm_batch(rig->wheel, batch->arms, MANY), MANY);
}

/* A lock hold arms at most 64 timers, or one if arming walks a list. Lockdep counts lock holds. */
static void __maybe_unused p9_bounded_work_of_a_batch(struct kunit *test)
{
	const struct rig_bench *bench = test->priv;
	struct rig *rig = rig_virtual(test, TICK, MANY);
	u32 holds = MANY / WHEEL_BATCH;

	if (bench->scheme == WHEEL_OVERFLOW)
		holds = MANY;
	KUNIT_EXPECT_GE(test, interrupts_let_in(rig, arm_all), holds);
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

static struct kunit_case batch_cases[] = {
#ifdef CONFIG_TRACE_IRQFLAGS
	ANY_CASE(p9_bounded_work_of_a_batch),
#endif
	ANY_CASE(batch_answers_each),
	{}
};

static struct kunit_suite batch_suite = {
	.name = "wheel_timer_batch",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = batch_cases,
};

kunit_test_suite(batch_suite);
