// SPDX-License-Identifier: GPL-2.0
/*
 * Random histories of touched timers against a slow model of the table: every
 * word, answer, event and counter must be the model's, on every scheme.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	24
#define STEPS	20000
#define TICK	WT_MS
/* Within what a bounded wheel of so many slots can hold. */
#define SLOTS	256
#define SPAN	(100 * TICK)

enum state { FREE, FILED, FIRED };

struct model_timer {
	enum state state;
	__u64 id;
	__u64 word;
	/* When the kernel will look, and where among those of that tick. */
	__u64 due;
	__u64 order;
};

struct model {
	int fd;
	__u64 *words;
	__u64 seed;
	__u64 now;
	__u64 order;
	struct model_timer timers[TIMERS];
	/* Events that are expected, the oldest first. */
	struct wheel_event events[TIMERS];
	__u32 unread;
	__u32 seq;
	__u64 armed, fired, cancelled, rearmed, requeued;
};

static bool parked(__u64 word)
{
	return word == WT_PARKED || word & WT_OFF;
}

static void file(struct model *m, struct model_timer *t, __u64 floor)
{
	t->due = wt_boundary(t->word, TICK);
	if (t->due < floor)
		t->due = floor;
	t->order = m->order++;
	t->state = FILED;
}

static void file_now(struct model *m, struct model_timer *t, __u64 when)
{
	t->word = when ?: 1;
	file(m, t, (m->now / TICK + 1) * TICK);
}

static void cancel(struct model *m, struct model_timer *t)
{
	t->state = FREE;
	t->word = WT_OFF;
	m->cancelled++;
}

static int model_arm(struct model *m, struct model_timer *t,
		     const struct wheel_op *op)
{
	if (t->state == FIRED || (t->state == FILED && !parked(t->word)))
		return -EBUSY;
	if (WHEEL_ID_GEN(op->id) <= WHEEL_ID_GEN(t->id))
		return -ESTALE;
	if (op->when > WHEEL_MAX_TIME)
		return -ERANGE;
	if (t->state == FILED)
		cancel(m, t);
	t->id = op->id;
	file_now(m, t, op->when);
	m->armed++;
	return 0;
}

/* The answer to an operation, and the model after it. */
static int model_op(struct model *m, struct wheel_op *op)
{
	struct model_timer *t = &m->timers[WHEEL_ID_SLOT(op->id)];
	bool gone;

	if (op->op == WHEEL_OP_ARM)
		return model_arm(m, t, op);
	if (t->id != op->id || t->state != FILED)
		return -ENOENT;
	gone = parked(t->word);
	switch (op->op) {
	case WHEEL_OP_CANCEL:
		cancel(m, t);
		break;
	case WHEEL_OP_QUERY:
		op->when = gone ? op->when : t->word;
		break;
	default:
		if (op->when > WHEEL_MAX_TIME)
			return -ERANGE;
		if (gone)
			break;
		file_now(m, t, op->when);
		m->rearmed++;
	}
	return gone ? -ENOENT : 0;
}

static struct model_timer *first(struct model *m)
{
	struct model_timer *best = NULL;
	struct model_timer *t;

	for (t = m->timers; t < m->timers + TIMERS; t++)
		if (t->state == FILED && t->due <= m->now &&
		    (!best || t->due < best->due ||
		     (t->due == best->due && t->order < best->order)))
			best = t;
	return best;
}

/* The kernel looks at all whose time has come. */
static void model_advance(struct model *m)
{
	struct model_timer *t;

	while ((t = first(m))) {
		if (parked(t->word)) {
			cancel(m, t);
		} else if (t->word > t->due) {
			file(m, t, t->due + TICK);
			m->requeued++;
		} else {
			m->events[m->unread++] = (struct wheel_event){
				.id = t->id, .cookie = ~t->id,
				.deadline = t->word, .seq = m->seq++,
				.fired = m->now,
			};
			t->state = FIRED;
			t->word = WT_OFF;
			m->fired++;
		}
	}
}

/* Mostly soon; a bounded wheel need not be asked for more. */
static __u64 any_time(struct model *m)
{
	switch (wt_below(&m->seed, 16)) {
	case 0:
		return wt_below(&m->seed, m->now + 1);
	case 1:
		return 0;
	case 2:
		return wt_boundary(m->now + wt_below(&m->seed, SPAN), TICK);
	default:
		return m->now + wt_below(&m->seed, SPAN);
	}
}

/* What a program may do to a word, and what it should not: the line, or 0. */
static int change_word(struct model *m, __u32 slot)
{
	struct model_timer *t = &m->timers[slot];
	__u64 to = any_time(m) ?: 1;

	if (t->state != FILED)
		return 0;
	if (!wt_below(&m->seed, 3))
		to = WT_PARKED;
	else if (!wt_below(&m->seed, 32))
		to = WT_OFF | wt_random(&m->seed);
	if (!wt_cas(&m->words[slot], t->word, to))
		return __LINE__;
	t->word = to;
	return 0;
}

static int operate(struct model *m, __u32 slot)
{
	struct wheel_op op, twin;
	__u64 gen;
	int want, got;

	gen = WHEEL_ID_GEN(m->timers[slot].id);
	op = wt_op(WHEEL_OP_ARM + wt_below(&m->seed, 4), 0, any_time(m));
	if (op.op == WHEEL_OP_ARM) {
		op.flags = WHEEL_OP_TOUCH;
		gen += wt_below(&m->seed, 8) ? 1 : 0;
	} else if (!wt_below(&m->seed, 8)) {
		gen++;
	}
	if (!wt_below(&m->seed, 64))
		op.when |= 1ULL << 63;
	op.id = WHEEL_ID(slot, gen);
	op.cookie = ~op.id;
	twin = op;
	want = model_op(m, &twin);
	got = wt_do(m->fd, &op);
	/* Of two reasons for a refusal it may give either. */
	if (want < 0 && got == -ERANGE && op.when > WHEEL_MAX_TIME)
		return 0;
	if (got != want || op.when != twin.when) {
		printf("# op %u: %d, not %d\n", op.op, got, want);
		return __LINE__;
	}
	return 0;
}

static int advance(struct model *m)
{
	m->now += wt_below(&m->seed, wt_below(&m->seed, 8) ? 3 * TICK : SPAN);
	model_advance(m);
	return wt_advance(m->fd, m->now, NULL) ? __LINE__ : 0;
}

static int read_some(struct model *m)
{
	struct wheel_event got[TIMERS];
	struct model_timer *t;
	int i, n;

	n = wt_read(m->fd, got, TIMERS);
	if (n == -EAGAIN)
		return m->unread ? __LINE__ : 0;
	if (n != (int)m->unread)
		return __LINE__;
	for (i = 0; i < n; i++) {
		t = &m->timers[WHEEL_ID_SLOT(got[i].id)];
		/* Of the clock it is enough to know that it was not early. */
		if (got[i].fired < got[i].deadline ||
		    got[i].fired > m->now)
			return __LINE__;
		got[i].fired = m->events[i].fired;
		if (memcmp(&got[i], &m->events[i], sizeof(got[i])))
			return __LINE__;
		t->state = FREE;
	}
	m->unread = 0;
	return 0;
}

static int compare(struct model *m)
{
	struct wheel_stats s;
	int i;

	for (i = 0; i < TIMERS; i++)
		if (wt_word(&m->words[i]) != m->timers[i].word)
			return __LINE__;
	if (wt_stats(m->fd, &s) || !wt_balanced(&s))
		return __LINE__;
	if (s.armed != m->armed || s.fired != m->fired ||
	    s.cancelled != m->cancelled || s.rearmed != m->rearmed ||
	    s.requeued != m->requeued || s.unread != m->unread)
		return __LINE__;
	return 0;
}

static int step(struct model *m)
{
	__u32 slot = wt_below(&m->seed, TIMERS);

	switch (wt_below(&m->seed, 8)) {
	case 0:
		return advance(m);
	case 1:
		return read_some(m);
	case 2:
	case 3:
	case 4:
		return change_word(m, slot);
	default:
		return operate(m, slot);
	}
}

/* At the end it is stopped: who was not parked is handed back. */
static int end(struct model *m)
{
	__u64 unfired;
	int i, n = 0;

	for (i = 0; i < TIMERS; i++) {
		n += m->timers[i].state == FILED && !parked(m->timers[i].word);
		if (m->timers[i].state == FILED)
			cancel(m, &m->timers[i]);
	}
	if (wt_stop(m->fd, &unfired) || unfired != (__u64)n)
		return __LINE__;
	return compare(m);
}

FIXTURE(scheme) {
	struct model m;
};

FIXTURE_VARIANT(scheme) {
	__u32 scheme;
};

FIXTURE_VARIANT_ADD(scheme, hashed) { .scheme = WHEEL_HASHED, };
FIXTURE_VARIANT_ADD(scheme, hierarchical) { .scheme = WHEEL_HIERARCHICAL, };
FIXTURE_VARIANT_ADD(scheme, bounded) { .scheme = WHEEL_BOUNDED, };
FIXTURE_VARIANT_ADD(scheme, overflow) { .scheme = WHEEL_OVERFLOW, };

FIXTURE_SETUP(scheme)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.flags = WHEEL_SETUP_TOUCH, .tick_ns = TICK, .timers = TIMERS,
		.buckets = SLOTS,
	};
	int i;

	self->m.seed = wt_seed();
	self->m.fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->m.fd);
	self->m.words = wt_map(self->m.fd, TIMERS);
	ASSERT_NE(NULL, self->m.words);
	for (i = 0; i < TIMERS; i++) {
		self->m.timers[i].id = WHEEL_ID(i, 0);
		self->m.timers[i].word = WT_OFF;
	}
}

FIXTURE_TEARDOWN(scheme)
{
	close(self->m.fd);
}

WT_TEST(scheme, does_as_the_model)
{
	int i, line;

	for (i = 0; i < STEPS; i++) {
		line = step(&self->m) ?: compare(&self->m);
		ASSERT_EQ(0, line) TH_LOG("step %d: line %d", i, line);
	}
	EXPECT_EQ(0, end(&self->m));
	TH_LOG("%llu armed, %llu fired, %llu requeued", self->m.armed,
	       self->m.fired, self->m.requeued);
}

TEST_HARNESS_MAIN
