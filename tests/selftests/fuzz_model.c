// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations against a slow model of the contract: every answer, every
 * event, every counter and the next due time must be the model's.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	48
#define BATCH	24
#define STEPS	1500
#define NONE	(~0ULL)

enum state { FREE, PENDING, FIRED };

struct model_timer {
	enum state state;
	bool stopped;
	__u64 gen;
	/* As armed: the next deadline, the period, what comes back. */
	__u64 when;
	__u64 period;
	__u64 cookie;
	/* Where it stands among the others. */
	__u64 due;
	__u64 order;
	/* The clock when it fired, before and after that step. */
	__u64 fired;
};

struct model {
	int fd;
	__u64 tick;
	/* Nothing is armed for later than this many ticks, 0: for any time. */
	__u64 span;
	__u64 now;
	__u64 order;
	__u32 seq;
	__u64 seed;
	struct model_timer timers[TIMERS];
	/* Slots with an unread event, the oldest first. */
	__u32 unread[TIMERS];
	struct wheel_stats stats;
};

static __u64 due_of(const struct model *m, __u64 when)
{
	__u64 due = wt_boundary(when, m->tick);
	__u64 floor = (m->now / m->tick + 1) * m->tick;

	return due < floor ? floor : due;
}

static void file(struct model *m, struct model_timer *t, __u64 when)
{
	t->when = when;
	t->due = due_of(m, when);
	t->order = m->order++;
	t->state = PENDING;
}

/* ARM, of what has a good form. */
static int model_arm(struct model *m, const struct wheel_op *op, __u64 when)
{
	struct model_timer *t = &m->timers[WHEEL_ID_SLOT(op->id)];

	if (t->state != FREE)
		return -EBUSY;
	if (WHEEL_ID_GEN(op->id) <= t->gen)
		return -ESTALE;
	if (when > WHEEL_MAX_TIME)
		return -ERANGE;
	*t = (struct model_timer){
		.gen = WHEEL_ID_GEN(op->id), .period = op->period,
		.cookie = op->cookie,
	};
	file(m, t, when);
	m->stats.armed++;
	m->stats.pending++;
	return 0;
}

static int model_cancel(struct model *m, struct model_timer *t)
{
	if (t->state == PENDING) {
		t->state = FREE;
		m->stats.cancelled++;
		m->stats.pending--;
		return 0;
	}
	if (!t->period || t->stopped)
		return -ENOENT;
	t->stopped = true;
	return 1;
}

/* The answer to an operation, and the model after it. */
static int model_op(struct model *m, const struct wheel_op *op, __u64 *when)
{
	struct model_timer *t;
	__u32 slot = WHEEL_ID_SLOT(op->id);

	*when = op->when;
	if (op->op < WHEEL_OP_ARM || op->op > WHEEL_OP_QUERY ||
	    op->flags & ~WHEEL_OP_REL || op->reserved[0] || op->reserved[1] ||
	    op->reserved[2] || slot >= TIMERS ||
	    (op->flags && op->op > WHEEL_OP_REARM))
		return -EINVAL;
	t = &m->timers[slot];
	if (op->flags)
		*when = op->when > WHEEL_MAX_TIME ? NONE : op->when + m->now;
	if (op->op == WHEEL_OP_ARM)
		return model_arm(m, op, *when);
	if (t->state == FREE || t->gen != WHEEL_ID_GEN(op->id))
		return -ENOENT;
	if (op->op == WHEEL_OP_CANCEL)
		return model_cancel(m, t);
	if (t->state != PENDING)
		return -ENOENT;
	if (op->op == WHEEL_OP_QUERY) {
		*when = t->when;
		return 0;
	}
	if (*when > WHEEL_MAX_TIME)
		return -ERANGE;
	file(m, t, *when);
	m->stats.rearmed++;
	return 0;
}

static struct model_timer *model_first(struct model *m)
{
	struct model_timer *first = NULL;
	struct model_timer *t;

	for (t = m->timers; t < m->timers + TIMERS; t++)
		if (t->state == PENDING &&
		    (!first || t->due < first->due ||
		     (t->due == first->due && t->order < first->order)))
			first = t;
	return first;
}

/* Move the clock: what is due fires, in order. Returns the next due time. */
static __u64 model_advance(struct model *m, __u64 now)
{
	struct model_timer *t;

	m->now = now > m->now ? now : m->now;
	for (t = model_first(m); t && t->due <= m->now; t = model_first(m)) {
		t->state = FIRED;
		t->fired = m->now;
		m->unread[m->stats.unread++] = t - m->timers;
		m->stats.fired++;
		m->stats.pending--;
	}
	return t ? t->due : NONE;
}

/* Is this the event that the model would give, and what comes of it? */
static bool model_event(struct model *m, const struct wheel_event *e)
{
	__u32 slot = m->unread[0];
	struct model_timer *t = &m->timers[slot];
	__u64 missed = t->period ? (m->now - t->when) / t->period : 0;

	/* One that was stopped may tell of the time when it was stopped. */
	if (t->stopped && e->overrun <= missed)
		missed = e->overrun;
	if (!m->stats.unread || e->id != WHEEL_ID(slot, t->gen) ||
	    e->cookie != t->cookie || e->seq != m->seq || e->res ||
	    e->overrun != missed ||
	    e->deadline != t->when + missed * t->period ||
	    e->fired < t->when || e->fired < t->due || e->fired > t->fired)
		return false;
	m->seq++;
	m->stats.overruns += missed;
	m->stats.unread--;
	memmove(m->unread, m->unread + 1, sizeof(m->unread) - 4);
	if (!t->period || t->stopped) {
		t->state = FREE;
		return true;
	}
	file(m, t, e->deadline + t->period);
	m->stats.armed++;
	m->stats.pending++;
	return true;
}

/* Mostly near, sometimes past or far, in the end beyond the clock. */
static __u64 random_when(struct model *m)
{
	__u64 kind = wt_below(&m->seed, 16);

	if (kind == 0)
		return wt_below(&m->seed, m->now + 1);
	if (m->span && kind != 2)
		return m->now + wt_below(&m->seed, m->span * m->tick);
	if (kind == 1)
		return m->now + (wt_random(&m->seed) >> 3);
	if (kind == 2)
		return wt_random(&m->seed) | 1ULL << 63;
	return m->now + wt_below(&m->seed, 2000 * m->tick);
}

static struct wheel_op random_op(struct model *m)
{
	__u32 slot = wt_below(&m->seed, TIMERS);
	struct model_timer *t = &m->timers[slot];
	__u64 gen = t->gen + (t->state == FREE);
	struct wheel_op op;

	if (!wt_below(&m->seed, 8))
		gen = t->gen < 2 ? 0 : t->gen - 2 + wt_below(&m->seed, 5);
	op = wt_op(1 + wt_below(&m->seed, 4), WHEEL_ID(slot, gen),
		   random_when(m));
	/* A move within the tick has no order that was promised. */
	if (op.op == WHEEL_OP_REARM && due_of(m, op.when) == t->due)
		op.when = t->due + 1;
	if (!wt_below(&m->seed, 4))
		op.period = 1 + (wt_random(&m->seed) >>
				 (4 + wt_below(&m->seed, 60)));
	if (m->span)
		op.period %= m->span * m->tick / 2;
	if (op.op <= WHEEL_OP_REARM && op.when >= m->now &&
	    op.when <= WHEEL_MAX_TIME && wt_below(&m->seed, 2)) {
		op.flags = WHEEL_OP_REL;
		op.when -= m->now;
	}
	op.cookie = wt_random(&m->seed);
	switch (wt_below(&m->seed, 40)) {
	case 0:
		op.flags |= 4U << wt_below(&m->seed, 30);
		break;
	case 1:
		op.reserved[wt_below(&m->seed, 3)] = wt_random(&m->seed) | 1;
		break;
	case 2:
		op.op = wt_random(&m->seed) | 8;
		break;
	case 3:
		op.id += TIMERS;
		break;
	}
	return op;
}

/* The model's answer? Of two things that are wrong either can be told. */
static bool agrees(const struct wheel_op *op, int answer, __u64 when)
{
	return op->res == answer ||
		(op->res == -ERANGE && op->op <= WHEEL_OP_REARM &&
		 when > WHEEL_MAX_TIME && answer < 0 && answer != -EINVAL);
}

/*
 * A batch, compared entry by entry. Operations of a batch are made up one after
 * the other, each against the model as the ones before it leave it.
 */
static int do_batch(struct model *m)
{
	__u32 n = wt_below(&m->seed, BATCH), i;
	struct wheel_op ops[BATCH];
	struct wheel_submit batch;
	__u64 whens[BATCH];
	int answers[BATCH];

	for (i = 0; i < n; i++) {
		ops[i] = random_op(m);
		answers[i] = model_op(m, &ops[i], &whens[i]);
	}
	if (wt_submit(m->fd, ops, n, &batch) || batch.now != m->now)
		return __LINE__;
	for (i = 0; i < n; i++) {
		m->stats.refused += ops[i].op == WHEEL_OP_ARM &&
			ops[i].res == -ERANGE;
		if (!agrees(&ops[i], answers[i], whens[i])) {
			fprintf(stderr, "# op %u: %d\n", ops[i].op, ops[i].res);
			return __LINE__;
		}
		if (ops[i].op == WHEEL_OP_QUERY && !answers[i] &&
		    ops[i].when != whens[i])
			return __LINE__;
	}
	return 0;
}

static int do_advance(struct model *m)
{
	__u64 to = m->now + wt_below(&m->seed, 300 * m->tick), next;
	__u64 model_next;

	if (!wt_below(&m->seed, 50))
		to = m->now + (wt_random(&m->seed) >> 12);
	if (wt_advance(m->fd, to, &next))
		return __LINE__;
	model_next = model_advance(m, to);
	return next == model_next ? 0 : __LINE__;
}

static int do_read(struct model *m)
{
	__u64 room = 1 + wt_below(&m->seed, TIMERS);
	struct wheel_event events[TIMERS];
	int want, got, i;

	want = m->stats.unread < room ? m->stats.unread : room;
	got = wt_read(m->fd, events, room);
	if (got != (want ?: -EAGAIN))
		return __LINE__;
	for (i = 0; i < got; i++)
		if (!model_event(m, &events[i])) {
			fprintf(stderr, "# event %u, slot %u, gen %llu\n",
				events[i].seq, WHEEL_ID_SLOT(events[i].id),
				(unsigned long long)WHEEL_ID_GEN(events[i].id));
			return __LINE__;
		}
	return 0;
}

static int check_stats(struct model *m)
{
	struct wheel_stats s;

	if (wt_stats(m->fd, &s) || !wt_balanced(&s) ||
	    wt_quiet(m->fd) != !m->stats.unread)
		return __LINE__;
	/* armed to pending, rearmed, refused to unread. */
	if (memcmp(&s.armed, &m->stats.armed, 4 * 8) ||
	    s.rearmed != m->stats.rearmed || s.requeued ||
	    memcmp(&s.refused, &m->stats.refused, 3 * 8))
		return __LINE__;
	return 0;
}

FIXTURE(model) {
	struct model m;
};

FIXTURE_VARIANT(model) {
	__u32 scheme;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(model, hashed) { .scheme = WHEEL_HASHED, .tick = WT_MS };
FIXTURE_VARIANT_ADD(model, hashed_7ns) { .scheme = WHEEL_HASHED, .tick = 7 };
FIXTURE_VARIANT_ADD(model, hierarchical) {
	.scheme = WHEEL_HIERARCHICAL, .tick = 1000,
};

FIXTURE_VARIANT_ADD(model, overflow) {
	.scheme = WHEEL_OVERFLOW, .tick = WT_MS,
};

FIXTURE_VARIANT_ADD(model, bounded) { .scheme = WHEEL_BOUNDED, .tick = 999 };

FIXTURE_SETUP(model)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.tick_ns = variant->tick, .timers = TIMERS, .buckets = 64,
	};

	if (!(wt_features() & WHEEL_HAS_SCHEME(variant->scheme)))
		SKIP(return, "the module has no such scheme");
	self->m.seed = wt_seed();
	self->m.tick = variant->tick;
	self->m.span = variant->scheme == WHEEL_BOUNDED ? 60 : 0;
	self->m.fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->m.fd);
}

FIXTURE_TEARDOWN(model)
{
	close(self->m.fd);
}

WT_TEST(model, everything_is_as_the_model_has_it)
{
	__u64 unfired;
	int step;

	for (step = 0; step < STEPS; step++) {
		ASSERT_EQ(0, do_batch(&self->m));
		ASSERT_EQ(0, do_advance(&self->m));
		if (step % 3 == 0)
			ASSERT_EQ(0, do_read(&self->m));
		ASSERT_EQ(0, check_stats(&self->m));
	}
	ASSERT_EQ(0, wt_stop(self->m.fd, &unfired));
	EXPECT_EQ(self->m.stats.pending, unfired);
	EXPECT_LT(STEPS, self->m.stats.fired);
}

TEST_HARNESS_MAIN
