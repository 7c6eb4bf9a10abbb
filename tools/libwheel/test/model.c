// SPDX-License-Identifier: MIT
/*
 * Random operations on a wheel with a VIRTUAL clock, each compared with a model
 * that is too simple to be wrong: an array that is searched.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define SLOTS	40
#define STEPS	20000
#define TICK	MS
/* In reach of every scheme, the bounded one too. */
#define SPAN	(200 * TICK)

enum state { FREE, ARMED, FIRED };

/**
 * struct timer - what the model knows of a slot
 * @state: FREE and the like
 * @gen: of its last arm
 * @deadline: as it stands; 0: parked
 * @filed: the tick at which it is looked at
 * @order: of filing
 * @period: 0: once
 * @ended: no more periods
 * @missed: until it ended
 * @touch: governed by a word
 */
struct timer {
	enum state state;
	__u64 gen;
	__u64 deadline;
	__u64 filed;
	__u64 order;
	__u64 period;
	bool ended;
	__u64 missed;
	bool touch;
};

/**
 * struct model - a wheel
 * @timers: by slot
 * @now: the clock
 * @order: counts filings
 * @fired: slots in the order fired
 * @unread: how many
 * @counts: counters
 */
struct model {
	struct timer timers[SLOTS];
	__u64 now;
	__u64 order;
	__u32 fired[SLOTS];
	__u32 unread;
	struct wheel_stats counts;
};

static __u64 ceil_tick(__u64 time)
{
	return (time + TICK - 1) / TICK;
}

/* Not before the tick @next. */
static void model_file(struct model *m, struct timer *t, __u64 deadline,
		       __u64 next)
{
	t->deadline = deadline;
	t->filed = ceil_tick(deadline) > next ? ceil_tick(deadline) : next;
	t->order = m->order++;
}

static int model_arm(struct model *m, struct timer *t, __u64 gen, __u64 when,
		     __u64 period, bool touch)
{
	bool parked = t->state == ARMED && t->touch && !t->deadline;

	if (t->state != FREE && !parked)
		return -EBUSY;
	if (gen <= t->gen)
		return -ESTALE;
	m->counts.cancelled += parked;
	*t = (struct timer){ .state = ARMED, .gen = gen, .period = period,
			     .touch = touch };
	model_file(m, t, touch && !when ? 1 : when, m->now / TICK + 1);
	m->counts.armed++;
	return 0;
}

static bool model_pending(const struct timer *t, __u64 gen)
{
	return t->state == ARMED && t->gen == gen && !(t->touch && !t->deadline);
}

static int model_rearm(struct model *m, struct timer *t, __u64 gen, __u64 when)
{
	if (!model_pending(t, gen))
		return -ENOENT;
	model_file(m, t, t->touch && !when ? 1 : when, m->now / TICK + 1);
	m->counts.rearmed++;
	return 0;
}

static int model_cancel(struct model *m, struct timer *t, __u64 gen)
{
	bool pending = model_pending(t, gen);

	if (t->gen != gen)
		return -ENOENT;
	if (t->state == ARMED) {
		t->state = FREE;
		m->counts.cancelled++;
		return pending ? 0 : -ENOENT;
	}
	if (t->state == FREE || !t->period || t->ended)
		return -ENOENT;
	t->ended = true;
	t->missed = (m->now - t->deadline) / t->period;
	return 1;
}

static int model_touch(struct timer *t, __u64 deadline)
{
	if (t->state != ARMED || !t->touch || !t->deadline)
		return -ENOENT;
	t->deadline = deadline;
	return 0;
}

static int model_revive(struct timer *t, __u64 deadline)
{
	if (t->state != ARMED || !t->touch)
		return -ENOENT;
	if (t->deadline)
		return -EBUSY;
	t->deadline = deadline;
	return 0;
}

/* The next timer to be looked at, in order; NULL: none any more. */
static struct timer *model_next(struct model *m)
{
	struct timer *first = NULL;
	int i;

	for (i = 0; i < SLOTS; i++) {
		struct timer *t = &m->timers[i];

		if (t->state != ARMED || t->filed > m->now / TICK)
			continue;
		if (!first || t->filed < first->filed ||
		    (t->filed == first->filed && t->order < first->order))
			first = t;
	}
	return first;
}

static void model_advance(struct model *m, __u64 now)
{
	struct timer *t;

	m->now = now;
	while ((t = model_next(m))) {
		if (t->touch && !t->deadline) {
			t->state = FREE;
			m->counts.cancelled++;
		} else if (t->touch && t->deadline > t->filed * TICK) {
			model_file(m, t, t->deadline, t->filed + 1);
		} else {
			t->state = FIRED;
			m->counts.fired++;
			m->fired[m->unread++] = t - m->timers;
		}
	}
}

/* The oldest event is taken: what does it have to say? */
static void model_take(struct model *m, struct wheel_event *want)
{
	__u32 slot = m->fired[0];
	struct timer *t = &m->timers[slot];
	__u64 missed = 0;

	if (t->period)
		missed = t->ended ? t->missed : (m->now - t->deadline) / t->period;
	*want = (struct wheel_event){
		.id = WHEEL_ID(slot, t->gen), .overrun = missed,
		.deadline = t->deadline + missed * t->period,
	};
	memmove(m->fired, m->fired + 1, --m->unread * sizeof(*m->fired));
	t->state = FREE;
	if (t->period && !t->ended) {
		t->state = ARMED;
		m->counts.armed++;
		model_file(m, t, want->deadline + t->period,
			   m->now / TICK + 1);
	}
}

static void take_some(struct libwheel *wheel, struct model *m, __u64 count)
{
	struct wheel_event event, want;

	while (count-- && m->unread) {
		NEED(libwheel_expirations(wheel, &event, 1) == 1);
		model_take(m, &want);
		NEED(EXPECT_EQ(want.id, event.id) &&
		     EXPECT_EQ(want.deadline, event.deadline) &&
		     EXPECT_EQ(want.overrun, event.overrun));
	}
	if (!m->unread)
		NEED(!next_id(wheel));
}

static void step_operation(struct libwheel *wheel, struct model *m,
			   __u64 *state, bool touch)
{
	__u32 slot = random_below(state, SLOTS);
	struct timer *t = &m->timers[slot];
	__u64 when = m->now + random_below(state, SPAN / 2);
	__u64 gen = t->gen + random_below(state, 3);
	struct wheel_op op = { .id = WHEEL_ID(slot, gen) };
	int want, got;

	if (random_below(state, 8) == 0)
		when = random_below(state, m->now + 1);
	op.when = when;
	op.op = 1 + random_below(state, 4);
	switch (op.op) {
	case WHEEL_OP_ARM:
		op.flags = touch && random_below(state, 2) ? WHEEL_OP_TOUCH : 0;
		op.period = op.flags || random_below(state, 3) ? 0 :
			    1 + random_below(state, SPAN / 4);
		want = model_arm(m, t, gen, when, op.period, op.flags);
		break;
	case WHEEL_OP_REARM:
		want = model_rearm(m, t, gen, when);
		break;
	case WHEEL_OP_CANCEL:
		want = model_cancel(m, t, gen);
		break;
	default:
		want = model_pending(t, gen) ? 0 : -ENOENT;
		when = t->deadline;
	}
	got = libwheel_do(wheel, &op);
	if (want != got)
		printf("# op %u slot %u gen %llu\n", op.op, slot, gen);
	NEED(EXPECT_EQ(want, got));
	if (!want)
		NEED(EXPECT_EQ(when, op.when));
}

static void step_touch(struct libwheel *wheel, struct model *m, __u64 *state)
{
	__u32 slot = random_below(state, SLOTS);
	struct timer *t = &m->timers[slot];
	__u64 when = m->now + 1 + random_below(state, SPAN / 2);

	switch (random_below(state, 3)) {
	case 0:
		NEED(model_touch(t, when) == libwheel_touch(wheel, slot, when));
		break;
	case 1:
		NEED(model_touch(t, 0) == libwheel_park(wheel, slot));
		break;
	default:
		NEED(model_revive(t, when) ==
		     libwheel_revive(wheel, slot, when));
	}
}

static void compare_stats(struct libwheel *wheel, const struct model *m)
{
	struct wheel_stats stats = balanced_stats(wheel);

	NEED(EXPECT_EQ(m->counts.armed, stats.armed) &&
	     EXPECT_EQ(m->counts.fired, stats.fired) &&
	     EXPECT_EQ(m->counts.cancelled, stats.cancelled) &&
	     EXPECT_EQ(m->counts.rearmed, stats.rearmed) &&
	     EXPECT_EQ(m->unread, stats.unread));
}

static void compare(__u32 scheme, __u32 flags)
{
	struct libwheel_options options = {
		.size = sizeof(options), .flags = flags, .scheme = scheme,
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = SLOTS, .buckets = 256,
	};
	struct libwheel *wheel = open_wheel(&options);
	struct model *m = calloc(1, sizeof(*m));
	__u64 state = test_seed();
	int i;

	for (i = 0; i < STEPS; i++) {
		switch (random_below(&state, flags ? 8 : 6)) {
		case 0:
			model_advance(m, m->now + random_below(&state, 9 * MS));
			NEED(!advance(wheel, m->now));
			break;
		case 1:
			take_some(wheel, m, random_below(&state, 5));
			break;
		case 6:
		case 7:
			step_touch(wheel, m, &state);
			break;
		default:
			step_operation(wheel, m, &state, flags);
		}
		NEED(readable(wheel) == !!m->unread);
		if (i % 64 == 0)
			compare_stats(wheel, m);
	}
	free(m);
	libwheel_close(wheel);
}

static void model_hashed(void)
{
	compare(WHEEL_HASHED, 0);
}

static void model_hierarchical(void)
{
	compare(WHEEL_HIERARCHICAL, 0);
}

static void model_bounded(void)
{
	compare(WHEEL_BOUNDED, 0);
}

static void model_overflow(void)
{
	compare(WHEEL_OVERFLOW, 0);
}

static void model_hashed_touch(void)
{
	compare(WHEEL_HASHED, WHEEL_SETUP_TOUCH);
}

static void model_hierarchical_touch(void)
{
	compare(WHEEL_HIERARCHICAL, WHEEL_SETUP_TOUCH);
}

static void model_overflow_touch(void)
{
	compare(WHEEL_OVERFLOW, WHEEL_SETUP_TOUCH);
}

const struct test model_tests[] = {
	TEST(model_hashed),
	TEST(model_hierarchical),
	TEST(model_bounded),
	TEST(model_overflow),
	TEST(model_hashed_touch),
	TEST(model_hierarchical_touch),
	TEST(model_overflow_touch),
	{ NULL, NULL }
};
