// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "model.h"
#include "wheel.h"

#define LIMIT		120

struct model *model;

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the random test (0: a new one for each run)");

static unsigned int steps = IS_ENABLED(CONFIG_KASAN) ? 20000 : 200000;
module_param(steps, uint, 0444);
MODULE_PARM_DESC(steps, "number of steps of the random test");

u64 model_random(u64 below)
{
	return rig_random(model->rig, below);
}

/* Record the first failed assertion only, because others may follow from it. */
void model_check(bool right, const char *claim, u32 id)
{
	if (right || model->wrong)
		return;
	model->wrong = claim;
	model->culprit = id;
}

static u64 time_of(u64 tick)
{
	return tick == model->oracle.end ? WHEEL_MAX_TIME : tick * model->tick;
}

/* Expected results of the operations, which are also applied to the model. */
static int file(struct shadow *shadow, u64 deadline, u64 slack)
{
	if (!oracle_arm(&model->oracle, &shadow->oracle, deadline, slack))
		return -ERANGE;
	shadow->deadline = deadline;
	return 0;
}

int model_arm(struct shadow *shadow, u64 deadline, u64 slack)
{
	int error;

	if (shadow->oracle.pending)
		return -EBUSY;
	error = oracle_pending(&model->oracle) == LIMIT ? -EDQUOT :
							  file(shadow, deadline, slack);
	model->stats.refused += !!error;
	model->stats.armed += !error;
	return error;
}

static int model_rearm(struct shadow *shadow, u64 deadline, u64 slack)
{
	int error = shadow->oracle.pending ? file(shadow, deadline, slack) : -ENOENT;

	model->stats.rearmed += !error;
	return error;
}

static int model_mod(struct shadow *shadow, u64 deadline, u64 slack)
{
	return shadow->oracle.pending ? model_rearm(shadow, deadline, slack) ?: 1 :
					model_arm(shadow, deadline, slack);
}

static bool model_push(struct shadow *shadow, u64 deadline)
{
	if (shadow->oracle.pending)
		shadow->deadline = max(shadow->deadline, deadline);
	return shadow->oracle.pending;
}

int model_cancel(struct shadow *shadow)
{
	if (!shadow->oracle.pending)
		return shadow->running ? model->rig->kind->running : -ENOENT;
	oracle_cancel(&model->oracle, &shadow->oracle);
	model->stats.cancelled++;
	return 0;
}

/* The wheel queues pushed timers again when it reaches them. Returns the next due timer. */
static struct shadow *model_take(void)
{
	struct oracle *oracle = &model->oracle;

	while (oracle->first && oracle->first->due <= model->until) {
		struct shadow *shadow = container_of(oracle->first, struct shadow, oracle);

		if (shadow->deadline <= time_of(oracle->first->due))
			return shadow;
		oracle_requeue(oracle, oracle->first, shadow->deadline,
			       model->rig->probes[shadow - model->shadows].timer.place >>
			       WHEEL_ORDER_SHIFT);
		model->stats.requeued++;
	}
	return NULL;
}

/* Return deadlines of all magnitudes, many of them at the boundaries of ticks and revolutions. */
u64 model_deadline(void)
{
	u64 tick = model->tick, now = model->now;
	u64 edge = div64_u64(now, tick) * tick;
	u64 deadline;

	switch (model_random(10)) {
	case 0:
		deadline = model_random(now + 1);
		break;
	case 1:
		deadline = now + model_random(1ULL << model_random(62));
		break;
	case 2:
		deadline = now + BUCKETS * tick * model_random(4);
		break;
	case 3:
		deadline = edge + tick * model_random(4);
		break;
	case 4:
		deadline = edge + tick * model_random(BUCKETS) + 1 - model_random(3);
		break;
	case 5:
		deadline = model_random(9) ? now : WHEEL_MAX_TIME - model_random(9);
		break;
	default:
		deadline = now + model_random(3 * BUCKETS * tick);
		break;
	}
	return min(deadline, WHEEL_MAX_TIME);
}

static void do_one(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 slack = model_random(4) ? 0 : model_random(40 * model->tick);
	const struct rig_kind *kind = model->rig->kind;
	u64 deadline = model_deadline();

	switch (model_random(7)) {
	default:
		model_check(kind->arm(timer, deadline, slack) ==
			    model_arm(shadow, deadline, slack), "arm", id);
		break;
	case 3:
		model_check(kind->mod(timer, deadline, slack) ==
			    model_mod(shadow, deadline, slack), "mod", id);
		break;
	case 4:
		model_check(kind->rearm(timer, deadline, slack) ==
			    model_rearm(shadow, deadline, slack), "rearm", id);
		break;
	case 5:
		model_check(wheel_timer_push(timer, deadline) == model_push(shadow, deadline),
			    "push", id);
		break;
	case 6:
		model_check(kind->cancel(timer) == model_cancel(shadow), "cancel", id);
		break;
	}
}

static void do_anything(void)
{
	u32 id = model_random(MODEL_TIMERS);
	struct wheel_timer *timer = &model->rig->probes[id].timer;
	struct shadow *shadow = &model->shadows[id];

	if (!model->kind->batch || model_random(16))
		do_one(timer, shadow, id);
	else
		model->kind->batch();
	model_check(wheel_timer_pending(timer) == shadow->oracle.pending, "pending", id);
	if (shadow->oracle.pending)
		model_check(wheel_timer_deadline(timer) == shadow->deadline, "deadline", id);
}

static void expire(struct probe *probe)
{
	struct shadow *shadow = &model->shadows[probe->id];

	model_check(wheel_timer_fired(&probe->timer) == model->now, "fired", probe->id);
	model_check(model_take() == shadow, "order", probe->id);
	if (model->wrong)
		return;
	oracle_fire(&model->oracle, &shadow->oracle);
	model->stats.fired++;
	shadow->running = true;
	while (!model_random(3)) {
		model->doubt = true;
		do_anything();
	}
	shadow->running = false;
}

static void advance(u64 target)
{
	u64 next;

	model->now = max(model->now, target);
	model->until = oracle_tick_at(&model->oracle, model->now);
	model->doubt &= model->now < model->next;
	oracle_pass(&model->oracle, model->until);
	model->next = rig_advance(model->rig, target);
	model_check(!model_take(), "late", 0);
	oracle_reach(&model->oracle, model->until);
	next = model->oracle.first ? time_of(model->oracle.first->due) : WHEEL_NEVER;
	model_check(model->doubt ? model->next <= next : model->next == next, "next", 0);
	model_check(wheel_now(model->rig->wheel) == model->now, "clock", 0);
}

static void random_step(void)
{
	u64 now = model->now;
	u32 kind = model_random(12);

	if (kind == 0)
		advance(now + model_random(BUCKETS * model->tick));
	else if (kind == 1)
		advance(now + model_random(1ULL << model_random(50)));
	else if (kind == 2)
		advance(model_random(now + 1));
	else if (kind <= 4)
		advance(now + model_random(2 * model->tick + 1));
	else
		do_anything();
}

static void compare_stats(void)
{
	const struct wheel_stats *got = rig_stats(model->rig);
	const struct wheel_stats *want = &model->stats;

	model_check(got->armed == want->armed, "stats: armed", 0);
	model_check(got->fired == want->fired, "stats: fired", 0);
	model_check(got->cancelled == want->cancelled, "stats: cancelled", 0);
	model_check(got->pending == oracle_pending(&model->oracle), "stats: pending", 0);
	model_check(got->rearmed == want->rearmed, "stats: rearmed", 0);
	model_check(got->requeued == want->requeued, "stats: requeued", 0);
	model_check(got->refused == want->refused, "stats: refused", 0);
}

/* Set the properties of the scheme that affect the due ticks. */
static void describe(struct oracle *oracle, u32 scheme, u64 tick)
{
	oracle_init(oracle, tick);
	oracle->coarsest = BUCKETS / 16;
	if (scheme == WHEEL_HIERARCHICAL)
		oracle->coarsest = 1ULL << 63;
	if (scheme == WHEEL_BOUNDED) {
		oracle->coarsest = BOUNDED_BUCKETS / 16;
		oracle->span = BOUNDED_BUCKETS;
	}
}

static void run_with_tick(struct kunit *test, const struct model_kind *kind, u64 tick)
{
	const struct wheel_config config = {
		.name = "model",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = tick,
		.limit = LIMIT,
	};
	const struct rig_bench *bench = test->priv;
	u32 i;

	memset(model, 0, sizeof(*model));
	model->kind = kind;
	model->tick = tick;
	model->next = WHEEL_NEVER;
	describe(&model->oracle, bench->scheme, tick);
	model->rig = kind->make(test, &config, MODEL_TIMERS);
	prandom_seed_state(&model->rig->rnd, seed);
	for (i = 0; i < MODEL_TIMERS; i++)
		model->rig->probes[i].action = expire;
	for (i = 0; i < steps && !model->wrong; i++) {
		random_step();
		compare_stats();
		if (i % 256 == 0)
			cond_resched();
	}
	if (model->wrong)
		KUNIT_FAIL(test, "%s, timer %u, step %u, tick %llu, seed=%llu",
			   model->wrong, model->culprit, i - 1, tick, seed);
}

/* Test wheels of a kind with several tick lengths. */
void model_run(struct kunit *test, const struct model_kind *kind)
{
	static const u64 ticks[] = { 1, 1000, 999983, 1000000 };
	int t;

	if (!seed)
		seed = get_random_u64();
	kunit_info(test, "seed=%llu", seed);
	model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, model);
	for (t = 0; t < ARRAY_SIZE(ticks); t++)
		run_with_tick(test, kind, ticks[t]);
}
