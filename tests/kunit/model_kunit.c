// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on a wheel, also by its callbacks, compared with the oracle of the host's
 * tests. The log contains the seed; the module parameter "seed" repeats a run.
 */
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "oracle.h"
#include "schemes.h"
#include "wheel.h"

#define TIMERS		150
#define LIMIT		120
#define BATCH		(3 * WHEEL_BATCH + 7)

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the random test (0: a new one for each run)");

static unsigned int steps = IS_ENABLED(CONFIG_KASAN) ? 20000 : 200000;
module_param(steps, uint, 0444);
MODULE_PARM_DESC(steps, "number of steps of the random test");

/**
 * struct shadow - Expected state of a timer
 * @oracle: timer of the oracle
 * @deadline: current deadline, also after a push
 * @running: true while its callback is running
 */
struct shadow {
	struct oracle_timer	oracle;
	u64			deadline;
	bool			running;
};

/**
 * struct model - Expected state of a wheel
 * @rig: fixture with the wheel
 * @oracle: model of its core
 * @shadows: state of its timers
 * @stats: expected counters
 * @tick: tick length
 * @now: current time of the clock
 * @until: tick of @now
 * @next: next expiry, as returned by the last pass
 * @doubt: a callback has moved timers, so that @next may be too early
 * @wrong: first assertion that failed, or NULL
 * @culprit: timer that it was about
 * @arms: batch of arms
 * @timers: batch of cancels
 * @res: results of a batch
 * @want: expected results of a batch
 */
static struct model {
	struct rig		*rig;
	struct oracle		oracle;
	struct shadow		shadows[TIMERS];
	struct wheel_stats	stats;
	u64			tick;
	u64			now;
	u64			until;
	u64			next;
	bool			doubt;
	const char		*wrong;
	u32			culprit;
	struct wheel_arm	arms[BATCH];
	struct wheel_timer	*timers[BATCH];
	int			res[BATCH];
	int			want[BATCH];
} *model;

static u64 random_below(u64 below)
{
	return rig_random(model->rig, below);
}

/* Record the first failed assertion only, because others may follow from it. */
static void check(bool right, const char *claim, u32 id)
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

static int model_arm(struct shadow *shadow, u64 deadline, u64 slack)
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

static int model_cancel(struct shadow *shadow)
{
	if (!shadow->oracle.pending)
		return shadow->running ? -EALREADY : -ENOENT;
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
static u64 random_deadline(void)
{
	u64 tick = model->tick, now = model->now;
	u64 edge = div64_u64(now, tick) * tick;
	u64 deadline;

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
	return min(deadline, WHEEL_MAX_TIME);
}

/* A batch needs several lock holds, and may contain a timer more than once. */
static void do_arm_batch(u32 count)
{
	struct wheel_arm *arms = model->arms;
	u32 expected = 0, i;

	for (i = 0; i < count; i++) {
		u32 id = random_below(TIMERS);

		arms[i] = (struct wheel_arm){
			.timer = &model->rig->probes[id].timer,
			.deadline = random_deadline(), .res = 0xcc,
		};
		model->want[i] = model_arm(&model->shadows[id], arms[i].deadline, 0);
		expected += !model->want[i];
	}
	check(wheel_arm_batch(model->rig->wheel, arms, count) == expected, "arm batch", 0);
	for (i = 0; i < count; i++)
		check(arms[i].res == model->want[i], "arm in a batch", i);
}

static void do_cancel_batch(u32 count)
{
	u32 expected = 0, first = random_below(TIMERS), i;

	for (i = 0; i < count; i++) {
		u32 id = (first + 7 * i) % TIMERS;

		model->timers[i] = &model->rig->probes[id].timer;
		model->want[i] = model_cancel(&model->shadows[id]);
		expected += !model->want[i];
	}
	check(wheel_cancel_batch(model->rig->wheel, model->timers, model->res, count) == expected,
	      "cancel batch", 0);
	for (i = 0; i < count; i++)
		check(model->res[i] == model->want[i], "cancel in a batch", i);
}

static void do_batch(void)
{
	u32 count = random_below(random_below(8) ? 8 : BATCH + 1);

	if (random_below(2))
		do_arm_batch(count);
	else
		do_cancel_batch(count);
}

static void do_one(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 slack = random_below(4) ? 0 : random_below(40 * model->tick);
	u64 deadline = random_deadline();

	switch (random_below(7)) {
	default:
		check(wheel_timer_arm(timer, deadline, slack) ==
		      model_arm(shadow, deadline, slack), "arm", id);
		break;
	case 3:
		check(wheel_timer_mod(timer, deadline, slack) ==
		      model_mod(shadow, deadline, slack), "mod", id);
		break;
	case 4:
		check(wheel_timer_rearm(timer, deadline, slack) ==
		      model_rearm(shadow, deadline, slack), "rearm", id);
		break;
	case 5:
		check(wheel_timer_push(timer, deadline) == model_push(shadow, deadline), "push",
		      id);
		break;
	case 6:
		check(wheel_timer_cancel(timer) == model_cancel(shadow), "cancel", id);
		break;
	}
}

static void do_anything(void)
{
	u32 id = random_below(TIMERS);
	struct wheel_timer *timer = &model->rig->probes[id].timer;
	struct shadow *shadow = &model->shadows[id];

	if (random_below(16))
		do_one(timer, shadow, id);
	else
		do_batch();
	check(wheel_timer_pending(timer) == shadow->oracle.pending, "pending", id);
	if (shadow->oracle.pending)
		check(wheel_timer_deadline(timer) == shadow->deadline, "deadline", id);
}

static void expire(struct probe *probe)
{
	struct shadow *shadow = &model->shadows[probe->id];

	check(wheel_timer_fired(&probe->timer) == model->now, "fired", probe->id);
	check(model_take() == shadow, "order", probe->id);
	if (model->wrong)
		return;
	oracle_fire(&model->oracle, &shadow->oracle);
	model->stats.fired++;
	shadow->running = true;
	while (!random_below(3)) {
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
	check(!model_take(), "late", 0);
	oracle_reach(&model->oracle, model->until);
	next = model->oracle.first ? time_of(model->oracle.first->due) : WHEEL_NEVER;
	check(model->doubt ? model->next <= next : model->next == next, "next", 0);
	check(wheel_now(model->rig->wheel) == model->now, "clock", 0);
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

static void compare_stats(void)
{
	const struct wheel_stats *got = rig_stats(model->rig);
	const struct wheel_stats *want = &model->stats;

	check(got->armed == want->armed, "stats: armed", 0);
	check(got->fired == want->fired, "stats: fired", 0);
	check(got->cancelled == want->cancelled, "stats: cancelled", 0);
	check(got->pending == oracle_pending(&model->oracle), "stats: pending", 0);
	check(got->rearmed == want->rearmed, "stats: rearmed", 0);
	check(got->requeued == want->requeued, "stats: requeued", 0);
	check(got->refused == want->refused, "stats: refused", 0);
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

static void run_model(struct kunit *test, u64 tick)
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
	model->tick = tick;
	model->next = WHEEL_NEVER;
	describe(&model->oracle, bench->scheme, tick);
	model->rig = rig_new(test, &config, TIMERS);
	prandom_seed_state(&model->rig->rnd, seed);
	for (i = 0; i < TIMERS; i++)
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
