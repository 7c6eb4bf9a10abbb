// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations, compared with the model. The log contains the seed; the module parameter
 * "seed" repeats a run.
 */
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "model.h"
#include "schemes.h"

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the random test (0: a new one for each run)");

static unsigned int steps = IS_ENABLED(CONFIG_KASAN) ? 20000 : 200000;
module_param(steps, uint, 0444);
MODULE_PARM_DESC(steps, "number of steps of the random test");

static u64 random_below(u64 below)
{
	return rig_random(model->rig, below);
}

/* Return deadlines of all magnitudes, many of them at the boundaries of ticks and revolutions. */
static u64 random_deadline(void)
{
	u64 tick = model->tick, now = model->now, deadline;
	u64 edge = div64_u64(now, tick) * tick;

	switch (random_below(10)) {
	case 0:
		deadline = random_below(now + 1);
		break;
	case 1:
		deadline = now + random_below(1ULL << random_below(62));
		break;
	case 2:
		deadline = now + BUCKETS * tick * random_below(4);
		break;
	case 3:
		deadline = edge + tick * random_below(4);
		break;
	case 4:
		deadline = edge + tick * random_below(BUCKETS) + 1 - random_below(3);
		break;
	case 5:
		deadline = random_below(9) ? now : WHEEL_MAX_TIME - random_below(9);
		break;
	default:
		deadline = now + random_below(3 * BUCKETS * tick);
		break;
	}
	if (deadline > WHEEL_MAX_TIME || model_beyond(deadline))
		deadline = now + random_below(3 * BUCKETS * tick);
	return deadline;
}

static void do_arm(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 slack = random_below(4) ? 0 : random_below(40 * model->tick);
	u64 deadline = random_deadline();
	int expected = model_arm(shadow, deadline, slack);

	model_check(wheel_timer_arm(timer, deadline, slack) == expected, "arm", id);
}

static void do_rearm(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	int expected = model_rearm(shadow, deadline);

	model_check(wheel_timer_rearm(timer, deadline, 0) == expected, "rearm", id);
}

static void do_mod(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	int expected = model_mod(shadow, deadline);

	model_check(wheel_timer_mod(timer, deadline, 0) == expected, "mod", id);
}

static void do_push(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	bool expected = model_push(shadow, deadline);

	model_check(wheel_timer_push(timer, deadline) == expected, "push", id);
}

static void do_cancel(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	int expected = model_cancel(shadow);

	model_check(wheel_timer_cancel(timer) == expected, "cancel", id);
}

/* A batch needs several lock holds, and may contain a timer more than once. */
static void do_arm_batch(u32 count)
{
	struct wheel_arm *arms = model->arms;
	u32 expected = 0, i;

	for (i = 0; i < count; i++) {
		u32 id = random_below(MODEL_TIMERS);

		arms[i] = (struct wheel_arm){
			.timer = &model->rig->probes[id].timer,
			.deadline = random_deadline(), .res = 0xcc,
		};
		model->res[i] = model_arm(&model->shadows[id], arms[i].deadline, 0);
		expected += !model->res[i];
	}
	model_check(wheel_arm_batch(model->rig->wheel, arms, count) == expected, "arm batch", 0);
	for (i = 0; i < count; i++)
		model_check(arms[i].res == model->res[i], "arm in a batch", i);
}

static void do_cancel_batch(u32 count)
{
	u32 expected = 0, first = random_below(MODEL_TIMERS), i;

	for (i = 0; i < count; i++) {
		u32 id = (first + 7 * i) % MODEL_TIMERS;

		model->timers[i] = &model->rig->probes[id].timer;
		model->arms[i].res = model_cancel(&model->shadows[id]);
		expected += !model->arms[i].res;
	}
	model_check(wheel_cancel_batch(model->rig->wheel, model->timers, model->res, count) ==
		    expected, "cancel batch", 0);
	for (i = 0; i < count; i++)
		model_check(model->res[i] == model->arms[i].res, "cancel in a batch", i);
}

static void do_batch(void)
{
	u32 count = random_below(random_below(8) ? 8 : MODEL_BATCH + 1);

	if (random_below(2))
		do_arm_batch(count);
	else
		do_cancel_batch(count);
}

static void do_anything(void)
{
	static void (*const verbs[])(struct wheel_timer *timer,
				     struct shadow *shadow, u32 id) = {
		do_arm, do_arm, do_arm, do_mod, do_rearm, do_push,
		do_cancel,
	};
	u32 id = random_below(MODEL_TIMERS);
	struct wheel_timer *timer = &model->rig->probes[id].timer;
	struct shadow *shadow = &model->shadows[id];

	if (random_below(16))
		verbs[random_below(ARRAY_SIZE(verbs))](timer, shadow, id);
	else
		do_batch();
	model_check(wheel_timer_pending(timer) == shadow->pending, "pending", id);
	if (shadow->pending)
		model_check(wheel_timer_deadline(timer) == shadow->deadline,
			    "deadline", id);
}

static void model_fire(struct probe *probe)
{
	struct shadow *shadow = &model->shadows[probe->id];

	model_check(wheel_timer_fired(&probe->timer) == model->now, "fired",
		    probe->id);
	model_called(probe->id);
	shadow->running = true;
	while (!random_below(3)) {
		model->meddled = true;
		do_anything();
	}
	shadow->running = false;
}

static void advance(u64 target)
{
	model->now = max(model->now, target);
	model->meddled = false;
	model_advanced(rig_advance(model->rig, target));
}

static void random_step(void)
{
	u64 now = model->now;
	u32 kind = random_below(12);

	if (kind == 0)
		advance(now + random_below(BUCKETS * model->tick));
	else if (kind == 1)
		advance(now + random_below(1ULL << random_below(50)));
	else if (kind == 2)
		advance(random_below(now + 1));
	else if (kind <= 4)
		advance(now + random_below(2 * model->tick + 1));
	else
		do_anything();
}

static void run_model(struct kunit *test, u64 tick)
{
	const struct wheel_config config = {
		.name = "model",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = tick,
		.limit = MODEL_LIMIT,
	};
	const struct rig_bench *bench = test->priv;
	u32 i;

	memset(model, 0, sizeof(*model));
	model->tick = tick;
	model->bounded = bench->scheme == WHEEL_BOUNDED;
	model->rig = rig_new(test, &config, MODEL_TIMERS);
	prandom_seed_state(&model->rig->rnd, seed);
	for (i = 0; i < MODEL_TIMERS; i++)
		model->rig->probes[i].action = model_fire;
	for (i = 0; i < steps && !model->wrong; i++) {
		random_step();
		model_compare_stats();
		if (i % 256 == 0)
			cond_resched();
	}
	if (model->wrong)
		KUNIT_FAIL(test, "%s, timer %u, step %u, tick %llu, seed=%llu",
			   model->wrong, model->culprit, i - 1, tick, seed);
}

static void random_operations(struct kunit *test)
{
	static const u64 ticks[] = { 1, 1000, 999983, 1000000 };
	int t;

	if (!seed)
		seed = get_random_u64();
	kunit_info(test, "seed=%llu", seed);
	model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, model);
	for (t = 0; t < ARRAY_SIZE(ticks); t++)
		run_model(test, ticks[t]);
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
