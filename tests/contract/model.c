// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Reference model of the ABI.
 */
#include <errno.h>
#include <string.h>

#include "model.h"

#define NEVER	(~0ULL)

static struct model *model_of(struct side *side)
{
	return (struct model *)side;
}

static void queue_push(struct model_queue *queue, __u32 nr)
{
	queue->nr[queue->count++] = nr;
}

static __u32 queue_pop(struct model_queue *queue)
{
	__u32 nr = queue->nr[0];

	memmove(queue->nr, queue->nr + 1, --queue->count * sizeof(nr));
	return nr;
}

static bool parked(__u64 word)
{
	return word == WHEEL_WORD_PARKED || word & WHEEL_WORD_IDLE;
}

/* Returns the index of the timer. */
static __u32 nr_of(const struct model *m, const struct model_timer *t)
{
	return t - m->timer;
}

static __u64 id_of(const struct model *m, const struct model_timer *t)
{
	return WHEEL_ID(nr_of(m, t) * m->apart, t->gen);
}

static __u64 tick_after(const struct model *m, __u64 time)
{
	return time / m->setup.tick_ns + !!(time % m->setup.tick_ns);
}

/* The end of the clock is a tick boundary. */
static __u64 last_tick(const struct model *m)
{
	return tick_after(m, WHEEL_MAX_TIME);
}

static __u64 tick_of(const struct model *m)
{
	return m->now == WHEEL_MAX_TIME ? last_tick(m) : m->now / m->setup.tick_ns;
}

static __u64 time_of(const struct model *m, __u64 tick)
{
	return tick == last_tick(m) ? WHEEL_MAX_TIME : tick * m->setup.tick_ns;
}

/* Returns the maximum number of ticks from the next tick to the due tick. */
static __u64 span(const struct model *m)
{
	return m->setup.scheme == WHEEL_BOUNDED ? m->setup.buckets - 1 : NEVER;
}

/* Queue a timer at the tick @floor or later. Returns 0 or -ERANGE. */
static int file(struct model *m, struct model_timer *t, __u64 deadline,
		__u64 floor)
{
	__u64 due = tick_after(m, deadline);

	due = due < floor ? floor : due;
	if (due - floor > span(m) || due > last_tick(m))
		return -ERANGE;
	t->deadline = deadline;
	t->due = due;
	t->order = m->order++;
	t->state = ARMED;
	return 0;
}

static void count_cancel(struct model *m)
{
	m->stats.cancelled++;
	m->stats.pending--;
}

/* Check whether the timer is armed, or DISARMED on a running wheel, and its word not parked. */
static bool pending(const struct model *m, const struct model_timer *t)
{
	if (t->state == DISARMED ? m->stopped != NEVER : t->state != ARMED)
		return false;
	return !t->word || !parked(m->word[nr_of(m, t)]);
}

static __u64 missed(const struct model *m, const struct model_timer *t)
{
	__u64 now = m->now;

	if (now > m->stopped)
		now = m->stopped;
	if (!t->period || now < t->deadline)
		return 0;
	return t->ended ? t->missed : (now - t->deadline) / t->period;
}

/* Check for errors of an ARM that do not depend on a timer. */
static int check_arm(const struct model *m, const struct wheel_op *op,
		     __u64 *when)
{
	__u64 longest = m->setup.scheme == WHEEL_BOUNDED ?
			span(m) * m->setup.tick_ns : WHEEL_MAX_TIME;
	__u64 base = op->flags & WHEEL_OP_REL ? m->now : 0;

	if (op->flags & WHEEL_OP_WORD && op->period)
		return -EINVAL;
	if (op->flags & WHEEL_OP_WORD && !(m->setup.flags & WHEEL_SETUP_WORDS))
		return -EOPNOTSUPP;
	if (m->stopped != NEVER)
		return -ESHUTDOWN;
	if (op->when > WHEEL_MAX_TIME - base || op->slack > WHEEL_MAX_TIME ||
	    op->period > longest)
		return -ERANGE;
	*when = op->when + base;
	return 0;
}

static int model_arm(struct model *m, const struct wheel_op *op)
{
	__u32 nr = WHEEL_ID_SLOT(op->id) / m->apart;
	__u64 gen = WHEEL_ID_GEN(op->id), when;
	struct model_timer *t = &m->timer[nr];
	bool parks;
	int err;

	err = check_arm(m, op, &when);
	if (err)
		return err;
	if (t->state != FREE)
		return -EBUSY;
	if (gen <= t->gen)
		return -ESTALE;
	parks = op->flags & WHEEL_OP_WORD && !op->when &&
		!(op->flags & WHEEL_OP_REL);
	if (op->flags & WHEEL_OP_WORD && !when && !parks)
		when = 1;
	if (!parks)
		err = file(m, t, when, tick_of(m) + 1);
	if (err)
		return err;
	*t = (struct model_timer){
		.state = parks ? DISARMED : ARMED, .gen = gen, .deadline = t->deadline,
		.due = t->due, .order = t->order, .period = op->period,
		.slack = op->slack, .cookie = op->cookie,
		.word = op->flags & WHEEL_OP_WORD,
	};
	if (t->word)
		m->word[nr] = when;
	m->stats.armed += !parks;
	m->stats.pending += !parks;
	return 0;
}

static int model_rearm(struct model *m, struct model_timer *t,
		       const struct wheel_op *op)
{
	__u64 base = op->flags & WHEEL_OP_REL ? m->now : 0;
	__u64 when = op->when + base;
	bool disarmed = t->state == DISARMED;
	int err;

	if (!pending(m, t))
		return -ENOENT;
	if (op->when > WHEEL_MAX_TIME - base || op->slack > WHEEL_MAX_TIME)
		return -ERANGE;
	if (t->word && !when)
		when = 1;
	err = file(m, t, when, tick_of(m) + 1);
	if (err)
		return err;
	if (t->word)
		m->word[nr_of(m, t)] = when;
	t->slack = op->slack;
	m->stats.rearmed += !disarmed;
	m->stats.armed += disarmed;
	m->stats.pending += disarmed;
	return 0;
}

/* Check whether the ring contains an event of the timer. */
static bool untaken(const struct model *m, const struct model_timer *t)
{
	return m->setup.events && t->again &&
	       t->seq - m->taken < m->published - m->taken;
}

static int model_cancel(struct model *m, struct model_timer *t)
{
	bool was_pending = pending(m, t), has_word = t->word;
	int res = untaken(m, t);

	if (m->stopped == NEVER)
		t->word = false;
	if (t->state == ARMED || (t->state == DISARMED && m->stopped == NEVER)) {
		if (has_word)
			m->word[nr_of(m, t)] = WHEEL_WORD_IDLE;
		if (t->state == ARMED)
			count_cancel(m);
		t->state = FREE;
		return was_pending ? res : -ENOENT;
	}
	if (t->state != FIRED || !t->period || t->ended)
		return -ENOENT;
	t->missed = missed(m, t);
	t->ended = true;
	return 1;
}

static int model_query(const struct model *m, const struct model_timer *t,
		       struct wheel_op *op)
{
	if (!pending(m, t))
		return -ENOENT;
	op->when = t->word ? m->word[nr_of(m, t)] : t->deadline;
	return 0;
}

static bool unused_are_zero(const struct wheel_op *op)
{
	switch (op->op) {
	case WHEEL_OP_REARM:
		return !op->period && !op->cookie;
	case WHEEL_OP_CANCEL:
		return !op->when && !op->slack && !op->period && !op->cookie;
	case WHEEL_OP_QUERY:
		return !op->slack && !op->period && !op->cookie;
	default:
		return true;
	}
}

static int model_op(struct model *m, struct wheel_op *op)
{
	static const __u32 flags[] = {
		[WHEEL_OP_ARM] = WHEEL_OP_REL | WHEEL_OP_WORD,
		[WHEEL_OP_REARM] = WHEEL_OP_REL,
		[WHEEL_OP_QUERY] = 0,
	};
	__u32 slot = WHEEL_ID_SLOT(op->id);
	struct model_timer *t;

	if (op->op < WHEEL_OP_ARM || op->op > WHEEL_OP_QUERY || !unused_are_zero(op) ||
	    op->flags & ~flags[op->op] || op->reserved[0] ||
	    op->reserved[1] || op->reserved[2] ||
	    slot >= m->setup.timers)
		return -EINVAL;
	if (op->op == WHEEL_OP_ARM)
		return model_arm(m, op);
	t = &m->timer[slot / m->apart];
	if (t->state == FREE || t->gen != WHEEL_ID_GEN(op->id))
		return -ENOENT;
	if (op->op == WHEEL_OP_REARM)
		return model_rearm(m, t, op);
	if (op->op == WHEEL_OP_CANCEL)
		return model_cancel(m, t);
	return model_query(m, t, op);
}

/* Consume the oldest event. A periodic timer is armed again. */
static struct wheel_event consume(struct model *m)
{
	struct model_timer *t = &m->timer[queue_pop(&m->fired)];
	struct wheel_event event = {
		.id = id_of(m, t), .cookie = t->cookie,
		.overrun = missed(m, t), .seq = t->seq,
	};

	event.deadline = t->deadline + event.overrun * t->period;
	event.fired = t->fired < event.deadline ? event.deadline : t->fired;
	m->stats.overruns += event.overrun;
	if (t->word) {
		t->state = DISARMED;
		return event;
	}
	if (!t->period || t->ended || m->stopped != NEVER ||
	    t->period > WHEEL_MAX_TIME - event.deadline ||
	    file(m, t, event.deadline + t->period, tick_of(m) + 1)) {
		t->state = FREE;
		return event;
	}
	t->again = true;
	m->stats.armed++;
	m->stats.pending++;
	return event;
}

static struct model_timer *first(struct model *m)
{
	struct model_timer *first = NULL;
	struct model_timer *t;

	for (t = m->timer; t < m->timer + SIDE_SLOTS; t++)
		if (t->state == ARMED &&
		    (!first || t->due < first->due ||
		     (t->due == first->due && t->order < first->order)))
			first = t;
	return first;
}

/* Requeue a timer whose word is later, at the latest tick if its due tick is too far ahead. */
static void requeue(struct model *m, struct model_timer *t, __u64 word)
{
	__u64 next = tick_of(m) + 1;
	__u64 due = tick_after(m, word);

	t->due = due > t->due ? due : t->due + 1;
	if (t->due > next && t->due - next > span(m))
		t->due = next + span(m);
	t->deadline = word;
	t->order = m->order++;
	m->stats.requeued++;
}

/* Returns the index of the histogram: the logarithm to base 2, rounded down; 0 for 0. */
static int lateness(__u64 late)
{
	return late ? 63 - __builtin_clzll(late) : 0;
}

/* Process a due timer. */
static void expire(struct model *m, struct model_timer *t)
{
	__u32 nr = nr_of(m, t);
	__u64 word = m->word[nr];

	if (t->word && parked(word)) {
		count_cancel(m);
		t->state = DISARMED;
	} else if (t->word && word > time_of(m, t->due)) {
		requeue(m, t, word);
	} else {
		if (t->word) {
			t->deadline = word;
			m->word[nr] = WHEEL_WORD_IDLE;
		}
		t->state = FIRED;
		t->fired = m->now;
		t->seq = m->seq++;
		m->stats.fired++;
		m->stats.pending--;
		m->stats.late[lateness(m->now - t->deadline)]++;
		queue_push(&m->fired, nr);
	}
}

/* Returns the maximum number of timers that the device expires per lock hold. */
static __u32 hold(const struct model *m)
{
	return m->setup.scheme == WHEEL_OVERFLOW ? 1 : 32;
}

static __u32 room(const struct model *m)
{
	return m->setup.events ? m->setup.events - (m->published - m->taken) : hold(m);
}

/*
 * One step of a pass: expire due timers as far as the ring has room, then publish their events.
 * Returns true if more timers may be due and another step is needed.
 */
static bool step(struct model *m)
{
	__u32 most = room(m), n = 0;
	struct model_timer *t;

	if (most > hold(m))
		most = hold(m);

	while (n < most && (t = first(m)) && t->due <= tick_of(m)) {
		__u64 fired = m->stats.fired;

		expire(m, t);
		n += m->stats.fired - fired;
	}
	while (m->setup.events && m->fired.count) {
		m->ring[m->published % m->setup.events] = consume(m);
		m->published++;
	}
	return n && n == most;
}

static void pass(struct model *m)
{
	while (step(m))
		;
}

static int model_take(struct side *side, struct wheel_event *events, __u32 room)
{
	struct model *m = model_of(side);
	__u32 n = 0;

	pass(m);
	if (m->setup.events) {
		while (n < room && m->taken != m->published)
			events[n++] = m->ring[m->taken++ % m->setup.events];
		return n;
	}
	while (n < room && m->fired.count)
		events[n++] = consume(m);
	return n || m->stopped == NEVER ? (int)n : -ESHUTDOWN;
}

static int model_submit(struct side *side, struct wheel_op *ops, __u32 count)
{
	struct model *m = model_of(side);
	__u32 i;

	for (i = 0; i < count; i++) {
		ops[i].res = model_op(m, &ops[i]);
		if (ops[i].op == WHEEL_OP_ARM &&
		    (ops[i].res == -EDQUOT || ops[i].res == -ERANGE ||
		     ops[i].res == -ESHUTDOWN))
			m->stats.refused++;
		/* Due timers for which the ring had no room expire after each lock hold. */
		if (m->setup.events && ((i + 1) % hold(m) == 0 || i + 1 == count))
			pass(m);
	}
	return 0;
}

/* Scan: queue timers that were armed or moved to an earlier deadline, by slot. */
static void scan(struct model *m)
{
	struct model_timer *t;

	for (t = m->timer; t < m->timer + SIDE_SLOTS; t++) {
		__u64 word = m->word[nr_of(m, t)];
		bool disarmed = t->state == DISARMED;

		if (!t->word || !pending(m, t) || (!disarmed && word >= t->deadline) ||
		    file(m, t, word, tick_of(m) + 1))
			continue;
		m->stats.rearmed += !disarmed;
		m->stats.armed += disarmed;
		m->stats.pending += disarmed;
	}
}

static int model_advance(struct side *side, __u64 now, __u64 *next)
{
	struct model *m = model_of(side);
	struct model_timer *t;

	scan(m);
	if (now > m->now)
		m->now = now;
	pass(m);
	t = first(m);
	*next = t ? time_of(m, t->due) : NEVER;
	return 0;
}

static int model_list(struct side *side, struct wheel_op *ops, __u32 room)
{
	struct model *m = model_of(side);
	struct model_timer *t;
	__u32 n = 0;

	for (t = m->timer; t < m->timer + SIDE_SLOTS && n < room; t++) {
		__u32 nr = nr_of(m, t);

		if (t->state != STOPPED && !pending(m, t))
			continue;
		ops[n++] = (struct wheel_op){
			.op = WHEEL_OP_ARM, .id = id_of(m, t),
			.flags = t->word ? WHEEL_OP_WORD : 0,
			.when = t->word && t->state != STOPPED ?
				m->word[nr] : t->deadline,
			.slack = t->slack, .period = t->period,
			.cookie = t->cookie,
		};
	}
	return n;
}

static int model_stop(struct side *side, __u64 *unfired)
{
	struct model *m = model_of(side);
	struct model_timer *t;

	*unfired = 0;
	if (m->stopped != NEVER)
		return 0;
	for (t = m->timer; t < m->timer + SIDE_SLOTS; t++) {
		__u32 nr = nr_of(m, t);
		bool gone = !pending(m, t);

		if (t->state != ARMED && t->state != DISARMED)
			continue;
		if (t->state == ARMED)
			count_cancel(m);
		t->state = gone ? DISARMED : STOPPED;
		*unfired += !gone;
		if (t->word && !gone)
			t->deadline = m->word[nr];
		if (t->word)
			m->word[nr] = WHEEL_WORD_IDLE;
	}
	m->stopped = m->now;
	return 0;
}

static int model_stats(struct side *side, struct wheel_stats *stats)
{
	struct model *m = model_of(side);

	*stats = m->stats;
	stats->unread = m->fired.count + m->published - m->taken;
	return 0;
}

void model_init(struct model *m, const struct wheel_setup *setup)
{
	int i;

	memset(m, 0, sizeof(*m));
	m->setup = *setup;
	m->apart = side_apart(setup);
	m->stopped = NEVER;
	for (i = 0; i < SIDE_SLOTS; i++)
		m->word[i] = WHEEL_WORD_IDLE;
	m->side = (struct side){
		.submit = model_submit, .advance = model_advance,
		.take = model_take, .list = model_list, .stop = model_stop,
		.stats = model_stats, .apart = 1,
	};
	if (setup->flags & WHEEL_SETUP_WORDS)
		m->side.words = m->word;
}
