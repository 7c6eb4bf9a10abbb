// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Reference model of the ABI. A comment that quotes the header is a sentence of
 * include/uapi/linux/wheel_timer.h, of uapi.rst or of words.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

/* The last time of a clock, and a due time that no clock reaches. */
#define LAST_TIME	(~0ULL >> 1)
#define NEVER		(LAST_TIME + 1)

static struct model *model_of(struct side *side)
{
	return (struct model *)side;
}

/* Report a violation that no output of the call expresses. */
static int deny(const char *what, unsigned long long a, unsigned long long b)
{
	printf("# model: %s: %llu, %llu\n", what, a, b);
	return -1;
}

static __u64 later(__u64 a, __u64 b)
{
	if (a > b)
		return a;
	return b;
}

static __u64 earlier(__u64 a, __u64 b)
{
	if (a < b)
		return a;
	return b;
}

static __u64 sum(__u64 a, __u64 b)
{
	return a > LAST_TIME || b > LAST_TIME - a ? LAST_TIME : a + b;
}

/* "the first tick boundary at or after its deadline". The end of the clock is one, too. */
static __u64 boundary(const struct model *m, __u64 time)
{
	__u64 over = time % m->setup.tick_ns;

	return over ? sum(time, m->setup.tick_ns - over) : time;
}

/* The next tick: the first boundary that has not been reached. */
static __u64 next_tick(const struct model *m)
{
	return m->now == LAST_TIME ? NEVER : boundary(m, m->now + 1);
}

/* "A deadline that has passed is due at the next tick", and slack permits later boundaries. */
static struct model_span due_span(const struct model *m, __u64 deadline, __u64 slack)
{
	__u64 first = later(boundary(m, deadline), next_tick(m));
	__u64 end = sum(deadline, slack);

	if (end != LAST_TIME)
		end -= end % m->setup.tick_ns;
	return (struct model_span){ first, later(first, end) };
}

/* "a time exceeds [...] the range of a WHEEL_BOUNDED wheel": @buckets ticks from the last one. */
static bool is_beyond(const struct model *m, __u64 due)
{
	__u64 tick = m->setup.tick_ns;

	return m->setup.scheme == WHEEL_BOUNDED &&
	       due / tick + !!(due % tick) > m->now / tick + m->setup.buckets;
}

static __u64 id_of(const struct model *m, const struct model_timer *t)
{
	return WHEEL_ID((t - m->timer) * m->apart, t->gen);
}

static __u64 *word_of(struct model *m, const struct model_timer *t)
{
	return &m->word[t - m->timer];
}

static __u64 followed_word(const struct model *m, const struct model_timer *t)
{
	return m->side.follows->words[(t - m->timer) * m->side.follows->apart];
}

static bool is_deadline(__u64 word)
{
	return word != WHEEL_WORD_PARKED && !(word & WHEEL_WORD_IDLE);
}

/* True if the timer is pending, and not parked. */
static bool is_armed(const struct model_timer *t)
{
	return t->state == PENDING || (t->state == OWNED && is_deadline(t->deadline));
}

/* ADVANCE may return the due time of a timer that was cancelled or moved. */
static void add_ghost(struct model *m, __u64 due)
{
	if (m->ghosts < MODEL_GHOSTS)
		m->ghost[m->ghosts++] = due;
}

/*
 * Read the word of a timer. If its deadline has passed, the timer is due "at the next tick, or, if
 * a scan is late, at its own tick".
 */
static void read_word(struct model *m, struct model_timer *t)
{
	__u64 word = *word_of(m, t);

	if (t->state != OWNED || word == t->deadline)
		return;
	if (is_deadline(t->deadline))
		add_ghost(m, t->due.min);
	t->deadline = word;
	if (!is_deadline(word))
		return;
	t->due = due_span(m, word, t->slack);
	t->due.min = boundary(m, word);
}

static void read_words(struct model *m)
{
	int i;

	for (i = 0; i < SIDE_SLOTS; i++)
		read_word(m, &m->timer[i]);
}

/* The kernel queues a timer with a word, and counts it as armed unless it did so before. */
static void queue(struct model *m, struct model_timer *t)
{
	if (!t->queued)
		m->stats.armed++;
	t->queued = true;
	t->visit = t->due;
	t->visit_deadline = t->deadline;
	m->vague |= t->slack >= m->setup.tick_ns;
}

/* The timer is no longer in the wheel, without an expiry. */
static void unqueue(struct model *m, struct model_timer *t)
{
	if (t->queued || t->state == PENDING)
		m->stats.cancelled++;
	if (t->queued)
		add_ghost(m, t->visit.min);
	t->queued = false;
}

/* "The order of arming": arm, re-arm and the continuation of a period are arms. */
static void set_order(struct model *m, struct model_timer *t)
{
	t->order = (struct model_span){ m->step, ++m->order };
}

static void begin(struct model *m)
{
	m->step = ++m->order;
}

/* "By due tick, then in the order of arming"; with words, "in any order" at the same tick. */
static bool must_precede(const struct model_timer *a, const struct model_timer *b)
{
	if ((a->word && a->beyond) || (b->word && b->beyond))
		return false;
	if (a->due.max != b->due.min)
		return a->due.max < b->due.min;
	return !a->word && !b->word && a->order.max < b->order.min;
}

/* A periodic timer continues after the event with this deadline, or the clock ends before. */
static void continue_period(struct model *m, struct model_timer *t, __u64 deadline)
{
	if (t->period > LAST_TIME - deadline) {
		t->state = FREE;
		return;
	}
	t->state = PENDING;
	t->deadline = deadline + t->period;
	t->due = due_span(m, t->deadline, t->slack);
	set_order(m, t);
	m->stats.armed++;
}

static void count_late(struct model *m, const struct wheel_event *e)
{
	__u64 late = e->fired - e->deadline;
	int i = 0;

	while (late >>= 1)
		i++;
	/* Whether the lateness of a missed period is counted, is open. */
	if (!e->overrun)
		m->late[i]++;
}

static void count_fired(struct model *m, struct model_timer *t)
{
	if (t->word && !t->queued)
		queue(m, t);
	t->queued = false;
	m->stats.fired++;
}

/*
 * Process an event of the ring. A periodic timer is "armed again, in phase, when its event is [...]
 * put into the ring".
 */
static int publish(struct model *m, const struct wheel_event *e)
{
	struct model_timer *t = &m->timer[WHEEL_ID_SLOT(e->id) / m->apart];
	__u64 due;
	int i;

	read_words(m);
	if (WHEEL_ID_SLOT(e->id) / m->apart >= SIDE_SLOTS || e->id != id_of(m, t) ||
	    !is_armed(t))
		return deny("an event of a timer that is not pending: id, seq", e->id, e->seq);
	due = t->due.min;
	if (due > m->now || e->fired < due || e->fired < e->deadline || e->fired > m->now)
		return deny("an early event: due, fired", due, e->fired);
	if (e->cookie != t->cookie || e->seq != m->seq || e->res)
		return deny("cookie or seq of an event", e->cookie, e->seq);
	if (e->deadline != t->deadline + e->overrun * t->period)
		return deny("deadline of an event: expected, found", t->deadline, e->deadline);
	if (t->period && t->period <= e->fired - e->deadline)
		return deny("a missed period: deadline, fired", e->deadline, e->fired);
	for (i = 0; i < SIDE_SLOTS; i++)
		if (&m->timer[i] != t && is_armed(&m->timer[i]) &&
		    must_precede(&m->timer[i], t))
			return deny("events in the wrong order: slots", i, t - m->timer);
	m->seq++;
	m->stats.overruns += e->overrun;
	count_late(m, e);
	count_fired(m, t);
	t->published = true;
	t->seq = e->seq;
	if (t->period) {
		continue_period(m, t, e->deadline);
		/* The pass may have been at an earlier tick. */
		t->due.min = boundary(m, t->deadline);
		return 0;
	}
	t->state = t->word ? OWNED : FREE;
	if (t->word)
		*word_of(m, t) = t->deadline = WHEEL_WORD_IDLE;
	return 0;
}

/* Process the published events up to that of a timer, or all. */
static int publish_until(struct model *m, __u64 id, bool exact)
{
	while (m->setup.events && m->seq != m->seen) {
		const struct wheel_event *e = &m->ring[m->seq % SIDE_SLOTS];

		if (exact)
			begin(m);
		if (publish(m, e))
			return -1;
		if (e->id == id)
			break;
	}
	return 0;
}

static bool is_published(const struct model *m, __u64 id)
{
	__u32 i;

	for (i = m->seq; m->setup.events && i != m->seen; i++)
		if (m->ring[i % SIDE_SLOTS].id == id)
			return true;
	return false;
}

/* Read the events of the ring. Events that were read before must not have changed. */
static int peek(struct model *m, const struct wheel_event *events, __u32 count, __u32 first)
{
	__u32 i;

	if (count > m->setup.events)
		return deny("more events than the ring has", count, m->setup.events);
	for (i = 0; i < count; i++) {
		struct wheel_event *e = &m->ring[(first + i) % SIDE_SLOTS];

		if ((__s32)(first + i - m->seen) >= 0)
			*e = events[i];
		else if (memcmp(e, &events[i], sizeof(*e)))
			return deny("an event in the ring has changed", first + i, e->id);
	}
	if ((__s32)(first + count - m->seen) > 0)
		m->seen = first + count;
	return 0;
}

static int peek_ring(struct model *m)
{
	struct wheel_event events[SIDE_SLOTS];
	int n;

	if (!m->setup.events)
		return 0;
	n = m->side.follows->peek(m->side.follows, events);
	if (peek(m, events, n, m->taken))
		return -1;
	return m->taken + n == m->seen ? 0 : deny("events are lost", m->taken + n, m->seen);
}

/* The word of a slot that belongs to no timer is IDLE, or what the program has written. */
static void follow_words(struct model *m)
{
	int i;

	for (i = 0; m->side.words && i < SIDE_SLOTS; i++) {
		struct model_timer *t = &m->timer[i];

		if (t->state != OWNED && !(t->state == FIRED && t->word && !t->ended) &&
		    followed_word(m, t) == WHEEL_WORD_IDLE)
			m->word[i] = WHEEL_WORD_IDLE;
	}
}

/* Returns the error of an operation whose form is invalid. */
static int form_error(const struct model *m, const struct wheel_op *op)
{
	bool arm = op->op == WHEEL_OP_ARM, rearm = op->op == WHEEL_OP_REARM;
	__u32 flags = arm ? WHEEL_OP_REL | WHEEL_OP_WORD : rearm ? WHEEL_OP_REL : 0;

	if (op->op < WHEEL_OP_ARM || op->op > WHEEL_OP_QUERY || op->flags & ~flags ||
	    op->reserved[0] || op->reserved[1] || op->reserved[2] ||
	    WHEEL_ID_SLOT(op->id) >= m->setup.timers)
		return -EINVAL;
	if (!arm && (op->cookie || op->period))
		return -EINVAL;
	if (!arm && !rearm && op->slack)
		return -EINVAL;
	if (op->op == WHEEL_OP_CANCEL && op->when)
		return -EINVAL;
	if (op->flags & WHEEL_OP_WORD && op->period)
		return -EINVAL;
	if (op->flags & WHEEL_OP_WORD && !(m->setup.flags & WHEEL_SETUP_WORDS))
		return -EOPNOTSUPP;
	return 0;
}

/* Returns the absolute deadline, or a value greater than LAST_TIME. */
static __u64 deadline_of(const struct model *m, const struct wheel_op *op)
{
	__u64 from = op->flags & WHEEL_OP_REL ? m->now : 0;

	return op->when > LAST_TIME - from ? ~0ULL : from + op->when;
}

/* @refused counts arms, not re-arms. */
static int out_of_range(struct model *m, bool commit)
{
	m->stats.refused += commit;
	return -ERANGE;
}

/* Make a timer pending, or return the error of a deadline that the wheel cannot hold. */
static int enter(struct model *m, struct model_timer *t, const struct wheel_op *op, bool commit)
{
	struct model_span due = due_span(m, deadline_of(m, op), op->slack);

	if (due.min == NEVER || is_beyond(m, due.min))
		return -ERANGE;
	if (!commit)
		return 0;
	if (t->state != FREE)
		add_ghost(m, t->queued ? t->visit.min : t->due.min);
	t->deadline = deadline_of(m, op);
	t->slack = op->slack;
	t->due = due;
	t->beyond = false;
	set_order(m, t);
	return 0;
}

static int arm(struct model *m, struct model_timer *t, const struct wheel_op *op, bool commit)
{
	bool word = op->flags & WHEEL_OP_WORD;
	bool parked = word && !(op->flags & WHEEL_OP_REL) && !op->when;
	__u64 period = m->setup.scheme == WHEEL_BOUNDED ?
		       (m->setup.buckets - 1) * m->setup.tick_ns : LAST_TIME;

	if (m->is_stopped) {
		m->stats.refused += commit;
		return -ESHUTDOWN;
	}
	if (deadline_of(m, op) > LAST_TIME || op->slack > LAST_TIME || op->period > period)
		return out_of_range(m, commit);
	if (t->state != FREE)
		return -EBUSY;
	if (WHEEL_ID_GEN(op->id) <= t->gen)
		return -ESTALE;
	if (!parked && enter(m, t, op, commit))
		return out_of_range(m, commit);
	if (!commit)
		return 0;
	t->gen = WHEEL_ID_GEN(op->id);
	t->period = op->period;
	t->slack = op->slack;
	t->cookie = op->cookie;
	t->ended = false;
	t->published = false;
	t->queued = false;
	t->word = word;
	t->state = word ? OWNED : PENDING;
	if (parked)
		t->deadline = WHEEL_WORD_PARKED;
	else if (word)
		queue(m, t);
	else
		m->stats.armed++;
	/* "A deadline of 0 is stored as 1." */
	if (word)
		*word_of(m, t) = t->deadline = t->deadline || parked ? t->deadline : 1;
	return 0;
}

static int rearm(struct model *m, struct model_timer *t, const struct wheel_op *op, bool commit)
{
	if (t->gen != WHEEL_ID_GEN(op->id) || !is_armed(t))
		return -ENOENT;
	if (deadline_of(m, op) > LAST_TIME || op->slack > LAST_TIME)
		return -ERANGE;
	if (enter(m, t, op, commit))
		return -ERANGE;
	if (!commit)
		return 0;
	if (t->state == PENDING || t->queued)
		m->stats.rearmed++;
	if (t->state == OWNED) {
		queue(m, t);
		*word_of(m, t) = t->deadline = t->deadline ?: 1;
	}
	return 0;
}

/* True if the last event of the timer is in the ring, and the program has not taken it. */
static bool is_unread(const struct model *m, const struct model_timer *t)
{
	return t->published && (__s32)(t->seq - m->taken) >= 0;
}

static int cancel_fired(struct model *m, struct model_timer *t, bool commit)
{
	bool continues = t->period && !t->ended;

	if (commit && !t->ended) {
		t->ended = true;
		t->until = m->is_stopped ? m->stopped : m->now;
	}
	return continues ? 1 : -ENOENT;
}

static int cancel(struct model *m, struct model_timer *t, const struct wheel_op *op, bool commit)
{
	int res = is_armed(t) ? t->period && is_unread(m, t) : -ENOENT;

	if (t->gen != WHEEL_ID_GEN(op->id) || t->state == FREE || t->state == STOPPED)
		return -ENOENT;
	if (t->state == FIRED)
		return cancel_fired(m, t, commit);
	if (!commit)
		return res;
	if (is_armed(t))
		add_ghost(m, t->due.min);
	unqueue(m, t);
	if (t->state == OWNED)
		*word_of(m, t) = WHEEL_WORD_IDLE;
	t->state = FREE;
	return res;
}

/* Returns the result of an operation, which is executed only if @commit is set. */
static int execute(struct model *m, struct wheel_op *op, bool commit)
{
	static const struct model_timer unused;
	int error = form_error(m, op);
	struct model_timer *t;

	if (error)
		return error;
	t = &m->timer[WHEEL_ID_SLOT(op->id) / m->apart];
	/* The script arms no other slots. */
	if (WHEEL_ID_SLOT(op->id) % m->apart)
		t = (struct model_timer *)&unused;
	read_words(m);
	switch (op->op) {
	case WHEEL_OP_ARM:
		return arm(m, t, op, commit);
	case WHEEL_OP_REARM:
		return rearm(m, t, op, commit);
	case WHEEL_OP_CANCEL:
		return cancel(m, t, op, commit);
	default:
		if (t->gen != WHEEL_ID_GEN(op->id) || !is_armed(t))
			return -ENOENT;
		op->when = t->deadline;
		return 0;
	}
}

/* True if the result of an operation is possible before the published events of its timer. */
static bool is_before_events(struct model *m, const struct wheel_op *op)
{
	struct wheel_op tried = *op;

	if (execute(m, &tried, false) != op->res || tried.when != op->when)
		return false;
	/* No event follows a cancel, and a timer that was moved is not due at once. */
	return op->op == WHEEL_OP_QUERY || op->res < 0;
}

/*
 * A due timer that is pending because the ring was full may expire before each operation. If its
 * event has been published, and the result shows it, the events up to this one came first.
 */
static int model_submit(struct side *side, struct wheel_op *ops, __u32 count)
{
	struct model *m = model_of(side);
	__u32 i;

	read_words(m);
	if (peek_ring(m))
		return -1;
	begin(m);
	for (i = 0; i < count; i++) {
		__u32 nr = WHEEL_ID_SLOT(ops[i].id) / m->apart;
		__u64 id = nr < SIDE_SLOTS ? id_of(m, &m->timer[nr]) : 0;

		while (is_published(m, id) && !is_before_events(m, &ops[i]))
			if (publish_until(m, id, false))
				return -1;
		if (m->seq == m->seen || !m->setup.events)
			begin(m);
		ops[i].res = execute(m, &ops[i], true);
	}
	if (publish_until(m, 0, false))
		return -1;
	follow_words(m);
	return 0;
}

/* A scan: "ADVANCE scans the words" before it moves the clock. It "queues every armed timer". */
static void scan(struct model *m)
{
	int i;

	read_words(m);
	for (i = 0; i < SIDE_SLOTS; i++) {
		struct model_timer *t = &m->timer[i];

		if (t->state != OWNED || !is_armed(t))
			continue;
		/* The ring was full, so the scan that finds this timer is late. */
		if (t->beyond && t->due.max <= m->now)
			t->due.max = next_tick(m);
		t->beyond = t->due.max == NEVER || is_beyond(m, t->due.min);
		/* When the wheel queues it is open. */
		m->vague |= t->beyond;
		if (t->beyond && !t->queued)
			continue;
		m->stats.rearmed += t->queued && t->deadline < t->visit_deadline;
		if (!t->queued || t->deadline < t->visit_deadline)
			queue(m, t);
	}
}

/*
 * Count the visits of a queued timer at due ticks that the clock has reached: "The passes that
 * found a later deadline in a word", and "parked ones at their old deadline".
 */
static void visit(struct model *m, struct model_timer *t)
{
	while (t->queued && t->visit.max <= m->now) {
		if (!is_deadline(t->deadline)) {
			unqueue(m, t);
		} else if (t->due.min > t->visit.max) {
			m->stats.requeued++;
			t->visit = t->due;
			t->visit_deadline = t->deadline;
			/* How a bounded wheel holds it until then is open. */
			m->vague |= is_beyond(m, t->due.min);
		} else {
			break;
		}
	}
}

/* True if a timer that is due within its slack or at its own tick has expired on the other side. */
static bool has_expired(struct model *m, const struct model_timer *t)
{
	struct wheel_op op = { .op = WHEEL_OP_QUERY, .id = id_of(m, t) };

	if (t->word)
		return followed_word(m, t) == WHEEL_WORD_IDLE;
	return !m->side.follows->submit(m->side.follows, &op, 1) && op.res == -ENOENT;
}

static void fire(struct model *m, struct model_timer *t, __u64 from)
{
	count_fired(m, t);
	t->fired = (struct model_span){ later(from, t->due.min), m->now };
	t->epoch = m->epoch;
	t->state = FIRED;
	t->ended = false;
	if (t->word)
		*word_of(m, t) = WHEEL_WORD_IDLE;
}

static bool is_full(const struct model *m)
{
	return m->setup.events && m->seq - m->taken == m->setup.events;
}

/* "On return, all timers that are due by @now have expired", unless the ring is full. */
static int expire(struct model *m, __u64 from)
{
	bool full = is_full(m);
	int i;

	for (i = 0; i < SIDE_SLOTS; i++) {
		struct model_timer *t = &m->timer[i];

		if (!is_armed(t) || t->due.min > m->now)
			continue;
		if (m->setup.events) {
			if (t->due.max <= m->now && !full)
				return deny("a due timer is pending: slot, due", i, t->due.max);
		} else if (t->due.max <= m->now || has_expired(m, t)) {
			fire(m, t, from);
			continue;
		}
		if (!full)
			t->due.min = next_tick(m);
	}
	m->vague |= full && m->side.words;
	return 0;
}

/*
 * "No pending timer is due before this time; ~0: none is pending. It may be earlier than the
 * earliest timer after one was cancelled or moved". Unless the ring is full, no timer is due at
 * @now, so @next is later.
 */
static __u64 permitted_next(const struct model *m, __u64 next)
{
	/* With a full ring, the pass has not determined the earliest timer. */
	__u64 first = is_full(m) ? 0 : ~0ULL, last = ~0ULL;
	__u32 i;

	for (i = 0; i < m->ghosts; i++)
		if (m->ghost[i] > m->now)
			first = earlier(first, m->ghost[i]);
	for (i = 0; i < SIDE_SLOTS; i++) {
		const struct model_timer *t = &m->timer[i];

		if (t->queued)
			first = earlier(first, t->visit.min);
		if (!is_armed(t))
			continue;
		/* When the wheel can hold it is open. */
		first = earlier(first, t->beyond ? next_tick(m) : t->due.min);
		/* If the ring is full, a timer that was beyond may be due late, by @now. */
		if (t->due.max != NEVER)
			last = earlier(last, t->beyond ? later(t->due.max, m->now) : t->due.max);
	}
	return next < first ? first : next > last ? last : next;
}

static int model_advance(struct side *side, __u64 now, __u64 *next)
{
	struct model *m = model_of(side);
	__u64 from = m->now;
	__u32 i, n = 0;

	scan(m);
	m->now = later(now, from);
	m->epoch++;
	for (i = 0; i < m->ghosts; i++)
		if (m->ghost[i] > m->now)
			m->ghost[n++] = m->ghost[i];
	m->ghosts = n;
	/* A timer may be visited before it expires at a later tick. */
	for (i = 0; i < SIDE_SLOTS; i++)
		visit(m, &m->timer[i]);
	if (peek_ring(m) || publish_until(m, 0, true) || expire(m, from))
		return -1;
	*next = permitted_next(m, *next);
	follow_words(m);
	return 0;
}

/* Check an event that read() has returned. */
static int check_read(struct model *m, const struct wheel_event *e)
{
	struct model_timer *t = &m->timer[WHEEL_ID_SLOT(e->id) / m->apart];
	__u64 until = m->is_stopped ? m->stopped : m->now;
	__u64 missed = 0, deadline;
	int i;

	if (WHEEL_ID_SLOT(e->id) / m->apart >= SIDE_SLOTS || e->id != id_of(m, t) ||
	    t->state != FIRED)
		return deny("an event of a timer that has not expired: id, seq", e->id, e->seq);
	for (i = 0; i < SIDE_SLOTS; i++) {
		const struct model_timer *o = &m->timer[i];

		if (o != t && o->state == FIRED &&
		    (o->epoch < t->epoch || (o->epoch == t->epoch && must_precede(o, t))))
			return deny("events in the wrong order: slots", i, t - m->timer);
	}
	if (e->cookie != t->cookie || e->seq != m->seq || e->res)
		return deny("cookie or seq of an event", e->cookie, e->seq);
	/* "if periods were missed, the last one that has passed" */
	if (t->ended)
		until = t->until;
	if (t->period)
		missed = (until - t->deadline) / t->period;
	deadline = t->deadline + missed * t->period;
	if (e->deadline != deadline || e->overrun != missed)
		return deny("deadline and overrun of an event", e->deadline, e->overrun);
	if (e->fired < later(t->fired.min, deadline) || e->fired > later(t->fired.max, deadline))
		return deny("time of an event: found, permitted", e->fired, t->fired.min);
	m->seq++;
	m->stats.overruns += missed;
	count_late(m, e);
	begin(m);
	if (t->word && !t->ended && !m->is_stopped) {
		t->state = OWNED;
		t->deadline = WHEEL_WORD_IDLE;
		read_word(m, t);
	} else if (t->period && !t->ended && !m->is_stopped) {
		continue_period(m, t, deadline);
	} else {
		t->state = FREE;
	}
	return 0;
}

static int fired_count(const struct model *m)
{
	int n = 0, i;

	for (i = 0; i < SIDE_SLOTS; i++)
		n += m->timer[i].state == FIRED;
	return n;
}

/* ENTER expires the due timers that were left to the program, before the events are taken. */
static int take_ring(struct model *m, const struct wheel_event *events)
{
	int n = m->side.result;

	if (n < 0 || peek(m, events, n, m->taken))
		return -1;
	m->taken += n;
	if (peek_ring(m))
		return -1;
	/* The events were published before any of them was taken. */
	return publish_until(m, 0, true) ? -1 : n;
}

static int model_take(struct side *side, struct wheel_event *events, __u32 room)
{
	struct model *m = model_of(side);
	int n, i;

	read_words(m);
	if (m->setup.events) {
		n = take_ring(m, events);
		follow_words(m);
		return n;
	}
	n = fired_count(m);
	if (!n)
		return m->is_stopped ? -ESHUTDOWN : 0;
	n = earlier(n, room);
	for (i = 0; i < n && i < m->side.result; i++)
		if (check_read(m, &events[i]))
			return -1;
	follow_words(m);
	return n;
}

/* "operations that arm the same timers again, with absolute deadlines" */
static int model_list(struct side *side, struct wheel_op *ops, __u32 room)
{
	struct model *m = model_of(side);
	int n = 0, i;

	read_words(m);
	for (i = 0; i < SIDE_SLOTS && (__u32)n < room; i++) {
		const struct model_timer *t = &m->timer[i];

		if (!is_armed(t) && t->state != STOPPED)
			continue;
		memset(&ops[n], 0, sizeof(ops[n]));
		ops[n++] = (struct wheel_op){
			.op = WHEEL_OP_ARM, .flags = t->word ? WHEEL_OP_WORD : 0,
			.id = id_of(m, t), .when = t->deadline, .slack = t->slack,
			.period = t->period, .cookie = t->cookie,
		};
	}
	return n;
}

/*
 * "timers that were pending and not parked; they count as cancelled, except for those that were
 * never counted as armed"
 */
static int model_stop(struct side *side, __u64 *unfired)
{
	struct model *m = model_of(side);
	int i;

	read_words(m);
	*unfired = 0;
	if (!m->is_stopped)
		m->stopped = m->now;
	m->is_stopped = true;
	for (i = 0; i < SIDE_SLOTS; i++) {
		struct model_timer *t = &m->timer[i];
		bool armed = is_armed(t);

		if (t->state == OWNED)
			m->word[i] = WHEEL_WORD_IDLE;
		/* No slot belongs to the program any longer. */
		if (t->word && t->state == FIRED)
			t->ended = true;
		if (t->state != PENDING && t->state != OWNED)
			continue;
		unqueue(m, t);
		*unfired += armed;
		t->state = armed ? STOPPED : FREE;
	}
	m->ghosts = 0;
	follow_words(m);
	return 0;
}

/* The other side's counters of timers with words, if the ABI leaves open when a pass found them. */
static void follow_counters(struct model *m, const struct wheel_stats *s)
{
	__u64 least = 0, most = 0, pending = s->armed - s->fired - s->cancelled;
	int i;

	for (i = 0; i < SIDE_SLOTS; i++) {
		least += m->timer[i].state == PENDING;
		most += m->timer[i].state == PENDING || m->timer[i].state == OWNED;
	}
	if (pending < least || pending > most)
		return;
	m->stats.armed = s->armed;
	m->stats.cancelled = s->cancelled;
	m->stats.rearmed = s->rearmed;
	m->stats.requeued = s->requeued;
}

static int model_stats(struct side *side, struct wheel_stats *stats)
{
	struct model *m = model_of(side);
	__u64 late = 0;
	int i;

	if (m->vague)
		follow_counters(m, stats);
	stats->armed = m->stats.armed;
	stats->fired = m->stats.fired;
	stats->cancelled = m->stats.cancelled;
	stats->pending = m->stats.armed - m->stats.fired - m->stats.cancelled;
	stats->rearmed = m->stats.rearmed;
	stats->requeued = m->stats.requeued;
	stats->refused = m->stats.refused;
	stats->overruns = m->stats.overruns;
	stats->unread = m->setup.events ? m->seq - m->taken : (__u64)fired_count(m);
	stats->deferred = 0;
	for (i = 0; i < 64; i++) {
		stats->late[i] = later(stats->late[i], m->late[i]);
		late += stats->late[i];
	}
	return late == m->stats.fired ? 0 : deny("sum of the histogram", late, m->stats.fired);
}

void model_init(struct model *m, const struct wheel_setup *setup, struct side *side)
{
	int i;

	memset(m, 0, sizeof(*m));
	m->setup = *setup;
	m->apart = side_apart(setup);
	for (i = 0; i < SIDE_SLOTS; i++)
		m->word[i] = WHEEL_WORD_IDLE;
	m->side = (struct side){
		.follows = side, .apart = 1,
		.words = setup->flags & WHEEL_SETUP_WORDS ? m->word : NULL,
		.submit = model_submit, .advance = model_advance,
		.take = model_take, .list = model_list, .stop = model_stop,
		.stats = model_stats,
	};
}
