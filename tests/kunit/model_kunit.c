// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations against a plain model: an array, walked in full for every
 * question. The seed is in the log; "seed=" of the module replays it.
 *
 * Where slack lets the wheel choose, the model knows the window of ticks only,
 * and leaves out of the order what it cannot know.
 */
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "schemes.h"

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of the random test; 0: another one each time");

static unsigned int steps = IS_ENABLED(CONFIG_KASAN) ? 20000 : 200000;
module_param(steps, uint, 0444);
MODULE_PARM_DESC(steps, "of the random test");

#define TIMERS		150
#define LIMIT		120

/**
 * struct shadow - what the model knows of one timer
 * @deadline: as armed last
 * @slack: as armed last
 * @first: nanosecond at which it is due at the earliest
 * @last: and at the latest; both are exact without slack
 * @look: nanosecond before which the wheel does not look at it
 * @filed: and by which it has, a slack's difference later
 * @seq: counts arms; decides between timers of one tick
 * @pushed: the wheel decides where in its tick it comes
 * @pending: armed, and not yet fired or cancelled
 * @running: in its callback
 */
struct shadow {
	u64	deadline;
	u64	slack;
	u64	first;
	u64	last;
	u64	look;
	u64	filed;
	u64	seq;
	bool	pushed;
	bool	pending;
	bool	running;
};

static struct model {
	struct rig		*rig;
	struct shadow		shadows[TIMERS];
	struct wheel_stats	stats;
	u64			tick;
	u64			now;
	u64			seq;
	u32			step;
	bool			bounded;
	bool			meddled;
	const char		*wrong;
	u32			culprit;
} *model;

/* Only the first mistake is worth a report: the others follow from it. */
static void check(bool right, const char *claim, u32 id)
{
	if (right || model->wrong)
		return;
	model->wrong = claim;
	model->culprit = id;
}

static u64 random_below(u64 below)
{
	return rig_random(model->rig, below);
}

/* What WHEEL_BOUNDED refuses has tests of its own. */
static bool beyond(u64 deadline)
{
	u64 due = due_at(deadline, model->now, model->tick);

	return model->bounded &&
	       due - model->now > (BOUNDED_SLOTS - 1) * model->tick;
}

/* Deadlines of all sizes, many of them on the edges. */
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
		deadline = now + SLOTS * tick * random_below(4);
		break;
	case 3:
		deadline = edge + tick * random_below(4);
		break;
	case 4:
		deadline = edge + tick * random_below(SLOTS) + 1 - random_below(3);
		break;
	case 5:
		deadline = random_below(9) ? now : WHEEL_MAX_TIME - random_below(9);
		break;
	default:
		deadline = now + random_below(3 * SLOTS * tick);
		break;
	}
	if (deadline > WHEEL_MAX_TIME || beyond(deadline))
		deadline = now + random_below(3 * SLOTS * tick);
	return deadline;
}

static void file(struct shadow *shadow, u64 deadline, u64 slack)
{
	u64 end = min(deadline + slack, WHEEL_MAX_TIME);

	shadow->deadline = deadline;
	shadow->slack = slack;
	shadow->first = due_at(deadline, model->now, model->tick);
	shadow->last = max(shadow->first,
			   div64_u64(end, model->tick) * model->tick);
	shadow->look = shadow->first;
	shadow->filed = shadow->last;
	shadow->seq = model->seq++;
	shadow->pushed = false;
	shadow->pending = true;
}

/* What a new arm of this timer is answered. */
static int may_arm(const struct shadow *shadow)
{
	if (shadow->pending)
		return -EBUSY;
	return model->stats.pending < LIMIT ? 0 : -EDQUOT;
}

static void count_arm(int error)
{
	if (!error) {
		model->stats.armed++;
		model->stats.pending++;
	} else if (error == -EDQUOT) {
		model->stats.refused++;
	}
}

static void do_arm(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 slack = random_below(4) ? 0 : random_below(40 * model->tick);
	u64 deadline = random_deadline();
	int expected = may_arm(shadow);

	check(wheel_timer_arm(timer, deadline, slack) == expected, "arm", id);
	count_arm(expected);
	if (!expected)
		file(shadow, deadline, slack);
}

static void do_mod(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	int expected = may_arm(shadow);

	if (expected == -EBUSY) {
		expected = 1;
		model->stats.rearmed++;
	} else {
		count_arm(expected);
	}
	check(wheel_timer_mod(timer, deadline, 0) == expected, "mod", id);
	if (expected >= 0)
		file(shadow, deadline, 0);
}

static void do_rearm(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	int expected = shadow->pending ? 0 : -ENOENT;

	check(wheel_timer_rearm(timer, deadline, 0) == expected, "rearm", id);
	if (expected)
		return;
	model->stats.rearmed++;
	file(shadow, deadline, 0);
}

/* Slack on either side, or the same tick, would leave the answer open. */
static void do_reduce(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	u64 due = due_at(deadline, model->now, model->tick);

	if (!shadow->pending) {
		check(wheel_timer_reduce(timer, deadline, 0) == -ENOENT,
		      "reduce of an idle timer", id);
		return;
	}
	if (shadow->slack || shadow->pushed || due == shadow->first)
		return;
	check(wheel_timer_reduce(timer, deadline, 0) == 0, "reduce", id);
	if (deadline >= shadow->deadline)
		return;
	model->stats.rearmed++;
	if (due < shadow->first)
		file(shadow, deadline, 0);
	else
		/* In the tick that is taken now: it cannot come earlier. */
		shadow->deadline = deadline;
}

/* Later, and none the wiser is the wheel until it looks. */
static void do_push(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 deadline = random_deadline();
	u64 end = min(deadline + shadow->slack, WHEEL_MAX_TIME);

	check(wheel_timer_push(timer, deadline) == shadow->pending, "push", id);
	if (!shadow->pending || deadline <= shadow->deadline)
		return;
	shadow->deadline = deadline;
	shadow->pushed |= deadline > shadow->first;
	shadow->first = max(shadow->first, due_at(deadline, 0, model->tick));
	shadow->last = max(shadow->first,
			   div64_u64(end, model->tick) * model->tick);
}

static void do_cancel(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	int expected = shadow->running ? -EALREADY : -ENOENT;

	if (shadow->pending) {
		expected = 0;
		model->stats.cancelled++;
		model->stats.pending--;
		shadow->pending = false;
	}
	check(wheel_timer_cancel(timer) == expected, "cancel", id);
}

/* For timers that have had their time: the grid starts at the deadline. */
static void do_next(struct wheel_timer *timer, struct shadow *shadow, u32 id)
{
	u64 period = 1 + random_below(5 * SLOTS * model->tick);
	u64 missed, deadline;

	if (shadow->pending) {
		check(wheel_timer_arm_next(timer, period) == WHEEL_NEVER,
		      "arm_next of a pending timer", id);
		return;
	}
	if (shadow->deadline > model->now || may_arm(shadow))
		return;
	missed = div64_u64(model->now - shadow->deadline, period);
	deadline = shadow->deadline + (missed + 1) * period;
	if (deadline > WHEEL_MAX_TIME || beyond(deadline))
		return;
	check(wheel_timer_arm_next(timer, period) == missed, "arm_next", id);
	model->stats.overruns += missed;
	count_arm(0);
	file(shadow, deadline, shadow->slack);
}

static void do_anything(void)
{
	static void (*const verbs[])(struct wheel_timer *timer,
				     struct shadow *shadow, u32 id) = {
		do_arm, do_arm, do_arm, do_mod, do_rearm, do_reduce, do_push,
		do_cancel, do_next,
	};
	u32 id = random_below(TIMERS);
	struct wheel_timer *timer = &model->rig->probes[id].timer;
	struct shadow *shadow = &model->shadows[id];

	verbs[random_below(ARRAY_SIZE(verbs))](timer, shadow, id);
	check(wheel_timer_pending(timer) == shadow->pending, "pending", id);
	if (shadow->pending)
		check(wheel_timer_deadline(timer) == shadow->deadline,
		      "deadline", id);
}

/* Whether @a had to come before @b. */
static bool before(const struct shadow *a, const struct shadow *b)
{
	if (a->last != b->first)
		return a->last < b->first;
	if (a->pushed || b->pushed)
		return false;
	return a->first == a->last && b->first == b->last && a->seq < b->seq;
}

static void model_fire(struct probe *probe)
{
	struct shadow *shadow = &model->shadows[probe->id];
	u32 i;

	check(shadow->pending, "called without being pending", probe->id);
	check(shadow->first <= model->now, "called early", probe->id);
	check(wheel_timer_fired(&probe->timer) == model->now, "fired", probe->id);
	for (i = 0; i < TIMERS; i++)
		check(!model->shadows[i].pending ||
		      !before(&model->shadows[i], shadow), "overtaken", i);
	shadow->pending = false;
	model->stats.pending--;
	model->stats.fired++;

	shadow->running = true;
	while (!random_below(3)) {
		model->meddled = true;
		do_anything();
	}
	shadow->running = false;
}

/*
 * The wheel may have seen where the deadline stands, or where it stood before it was
 * pushed in the same pass; slack leaves it a choice.
 */
static void looked_at(struct shadow *shadow)
{
	if (shadow->filed <= model->now) {
		shadow->look = shadow->first;
		shadow->filed = shadow->last;
	}
	if (shadow->look != shadow->filed || model->meddled)
		shadow->look = min(shadow->look, model->now + 1);
}

static void advance(u64 target)
{
	u64 first = WHEEL_NEVER, last = WHEEL_NEVER, next;
	u32 i;

	model->now = max(model->now, target);
	model->meddled = false;
	next = rig_advance(model->rig, target);
	for (i = 0; i < TIMERS; i++) {
		struct shadow *shadow = &model->shadows[i];

		if (!shadow->pending)
			continue;
		check(shadow->last > model->now, "late", i);
		if (shadow->look <= model->now)
			looked_at(shadow);
		first = min(first, shadow->look);
		last = min(last, shadow->last);
	}
	/* Of what is cancelled or moved during a pass it may keep a lower bound. */
	check(next <= last && (model->meddled || next >= first), "next", 0);
	check(wheel_now(model->rig->wheel) == model->now, "clock", 0);
}

static void random_step(void)
{
	u64 now = model->now;
	u32 kind = random_below(12);

	if (kind == 0)
		advance(now + random_below(SLOTS * model->tick));
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
	check(got->pending == want->pending, "stats: pending", 0);
	check(got->rearmed == want->rearmed, "stats: rearmed", 0);
	check(got->refused == want->refused, "stats: refused", 0);
	check(got->overruns == want->overruns, "stats: overruns", 0);
}

static void run_model(struct kunit *test, u64 tick)
{
	const struct wheel_config config = {
		.name = "model",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.slots = SLOTS,
		.tick_ns = tick,
		.limit = LIMIT,
	};
	const struct rig_bench *bench = test->priv;
	u32 i;

	memset(model, 0, sizeof(*model));
	model->tick = tick;
	model->bounded = bench->scheme == WHEEL_BOUNDED;
	model->rig = rig_new(test, &config, TIMERS);
	prandom_seed_state(&model->rig->rnd, seed);
	for (i = 0; i < TIMERS; i++)
		model->rig->probes[i].action = model_fire;
	for (i = 0; i < steps && !model->wrong; i++) {
		model->step = i;
		random_step();
		compare_stats();
		if (i % 256 == 0)
			cond_resched();
	}
	if (model->wrong)
		KUNIT_FAIL(test, "%s, timer %u, step %u, tick %llu, seed=%llu",
			   model->wrong, model->culprit, model->step, tick, seed);
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

struct kunit_suite model_suite = {
	.name = "wheel_timer_model",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = model_cases,
};
