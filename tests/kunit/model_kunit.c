// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with callbacks, and batches of operations, compared with the model.
 */
#include "callback_rig.h"
#include "model.h"

#define BATCH		(3 * WHEEL_BATCH + 7)

/**
 * struct batch - One batch of operations
 * @arms: arms
 * @timers: timers to cancel
 * @res: results of the cancels
 * @want: expected results
 */
static struct batch {
	struct wheel_arm	arms[BATCH];
	struct wheel_timer	*timers[BATCH];
	int			res[BATCH];
	int			want[BATCH];
} *batch;

/* A batch needs several lock holds, and may contain a timer more than once. */
static void do_arm_batch(u32 count)
{
	struct wheel_arm *arms = batch->arms;
	u32 expected = 0, i;

	for (i = 0; i < count; i++) {
		u32 id = model_random(MODEL_TIMERS);

		arms[i] = (struct wheel_arm){
			.timer = &model->rig->probes[id].timer,
			.deadline = model_deadline(), .res = 0xcc,
		};
		batch->want[i] = model_arm(&model->shadows[id], arms[i].deadline, 0);
		expected += !batch->want[i];
	}
	model_check(wheel_arm_batch(model->rig->wheel, arms, count) == expected, "arm batch", 0);
	for (i = 0; i < count; i++)
		model_check(arms[i].res == batch->want[i], "arm in a batch", i);
}

static void do_cancel_batch(u32 count)
{
	u32 expected = 0, first = model_random(MODEL_TIMERS), i;

	for (i = 0; i < count; i++) {
		u32 id = (first + 7 * i) % MODEL_TIMERS;

		batch->timers[i] = &model->rig->probes[id].timer;
		batch->want[i] = model_cancel(&model->shadows[id]);
		expected += !batch->want[i];
	}
	model_check(wheel_cancel_batch(model->rig->wheel, batch->timers, batch->res,
				       count) == expected, "cancel batch", 0);
	for (i = 0; i < count; i++)
		model_check(batch->res[i] == batch->want[i], "cancel in a batch", i);
}

static void do_batch(void)
{
	u32 count = model_random(model_random(8) ? 8 : BATCH + 1);

	if (model_random(2))
		do_arm_batch(count);
	else
		do_cancel_batch(count);
}

static const struct model_kind calling = {
	.make	= rig_new,
	.batch	= do_batch,
};

static void random_operations(struct kunit *test)
{
	batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, batch);
	model_run(test, &calling);
}

static struct kunit_case model_cases[] = {
	ANY_CASE(random_operations),
	{}
};

static struct kunit_suite model_suite = {
	.name = "wheel_timer_model",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = model_cases,
};

kunit_test_suite(model_suite);
