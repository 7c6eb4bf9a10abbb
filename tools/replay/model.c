// SPDX-License-Identifier: MIT
/*
 * A model of the device, which predicts the results, events and counters.
 */
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "text.h"

/* Count a violation, and keep the description of the first one. */
void breach_add(struct breaches *b, enum breach kind, const char *format, ...)
{
	va_list args;

	if (b->count[kind]++)
		return;
	va_start(args, format);
	vsnprintf(b->first[kind], sizeof(b->first[kind]), format, args);
	va_end(args);
}

u64 breach_total(const struct breaches *b)
{
	u64 total = 0;
	int kind;

	for (kind = 0; kind < BREACHES; kind++)
		total += b->count[kind];
	return total;
}

void model_init(struct model *m, u32 timers, u64 tick)
{
	memset(m, 0, sizeof(*m));
	m->timer = xcalloc(timers, sizeof(*m->timer));
	m->timers = timers;
	m->tick = tick;
}

void model_free(struct model *m)
{
	free(m->timer);
	samples_free(&m->late);
	samples_free(&m->late_in_time);
}

static u32 number_of(const struct model *m, const struct model_timer *t)
{
	return (u32)(t - m->timer);
}

void model_request(struct model *m, const struct request *r, struct wheel_op *op)
{
	struct model_timer *t = &m->timer[r->timer];

	memset(op, 0, sizeof(*op));
	/* A missing result must differ from a valid one. */
	op->res = -EINPROGRESS;
	if (r->deadline == NEVER) {
		op->op = WHEEL_OP_CANCEL;
	} else if (t->state == MODEL_PENDING) {
		op->op = WHEEL_OP_REARM;
		op->when = r->deadline;
	} else {
		op->op = WHEEL_OP_ARM;
		op->when = r->deadline;
		op->cookie = m->armed + 1;
		t->gen++;
	}
	op->id = WHEEL_ID(r->timer, t->gen);
}

static void set_idle(struct model *m, struct model_timer *t)
{
	if (t->state == MODEL_FIRED)
		m->missing--;
	if (t->due <= m->horizon)
		m->awaited--;
	m->pending--;
	t->state = MODEL_IDLE;
}

static void set_deadline(struct model *m, const struct request *r, const struct wheel_op *op,
			 u64 now)
{
	struct model_timer *t = &m->timer[r->timer];

	t->deadline = r->deadline;
	t->due = due_time(m->tick, r->deadline, now);
	t->in_time = now < r->deadline;
	t->order = m->armed + m->rearmed;
	t->line = r->line;
	t->word = op->flags & WHEEL_OP_WORD;
}

/* Check whether a timer that was pending at @submitted should have expired earlier. */
static void check_overdue(struct model *m, const struct model_timer *t, u64 submitted)
{
	if (submitted > t->due && submitted - t->due > LOST_AFTER_NS)
		breach_add(&m->breaches, BREACH_LOST,
			   "line %u: timer %u was due %s ago and is pending", t->line,
			   number_of(m, t), text_time(submitted - t->due).s);
	else if (t->in_time && !t->word && t->due < m->last_due)
		breach_add(&m->breaches, BREACH_ORDER, "line %u: timer %u was skipped", t->line,
			   number_of(m, t));
}

static void apply(struct model *m, const struct request *r, const struct wheel_op *op, u64 now)
{
	struct model_timer *t = &m->timer[r->timer];

	if (op->op == WHEEL_OP_ARM) {
		m->armed++;
		m->pending++;
		t->state = MODEL_PENDING;
		t->cookie = op->cookie;
		t->gen = WHEEL_ID_GEN(op->id);
		set_deadline(m, r, op, now);
		return;
	}
	check_overdue(m, t, r->submitted);
	if (op->op == WHEEL_OP_REARM) {
		m->rearmed++;
		set_deadline(m, r, op, now);
		return;
	}
	if (m->closing && !t->listed)
		breach_add(&m->breaches, BREACH_WRONG,
			   "line %u: timer %u is pending, but was not listed", t->line, r->timer);
	m->cancelled++;
	set_idle(m, t);
}

bool model_result(struct model *m, const struct request *r, const struct wheel_op *op, u64 now)
{
	static const char *const names[] = {
		[WHEEL_OP_ARM]		= "arm",
		[WHEEL_OP_REARM]	= "re-arm",
		[WHEEL_OP_CANCEL]	= "cancel",
	};
	struct model_timer *t = &m->timer[r->timer];
	bool was_idle = t->state == MODEL_IDLE;
	bool is_arm = op->op == WHEEL_OP_ARM;

	if (op->op == WHEEL_OP_CANCEL && was_idle && op->res == -ENOENT) {
		m->idle_cancels++;
		return false;
	}
	if (!op->res && is_arm == was_idle) {
		apply(m, r, op, now);
		return false;
	}
	if (op->res == -ENOENT && !was_idle) {
		m->races++;
		m->missing++;
		t->state = MODEL_FIRED;
		return op->op == WHEEL_OP_REARM;
	}
	breach_add(&m->breaches, BREACH_RESULT, "line %u: %s of timer %u, %s, returned %d",
		   r->line, names[op->op], r->timer, was_idle ? "idle" : "pending", op->res);
	return false;
}

static void check_content(struct model *m, const struct model_timer *t,
			  const struct wheel_event *event, u64 received)
{
	const char *what = NULL;

	if (event->deadline != t->deadline)
		what = "has another deadline";
	else if (event->cookie != t->cookie)
		what = "has another cookie";
	else if (event->overrun || event->res)
		what = "has an overrun or a result";
	else if (event->fired > received)
		what = "fired after it was received";
	if (what)
		breach_add(&m->breaches, BREACH_WRONG, "line %u: the event of timer %u %s",
			   t->line, number_of(m, t), what);
}

/* Neither the event's time nor this program's clock may be before the deadline. */
static void check_early(struct model *m, const struct model_timer *t,
			const struct wheel_event *event, u64 received)
{
	u64 seen = event->fired < received ? event->fired : received;

	if (seen < t->deadline)
		breach_add(&m->breaches, BREACH_EARLY,
			   "line %u: timer %u fired %s before its deadline", t->line,
			   number_of(m, t), text_time(t->deadline - seen).s);
}

/*
 * Timers expire in order of due time, then of arming. The order is unknown for deadlines received
 * too late, and for words: if a pass is late, it detects them after the timers of earlier ticks.
 */
static void check_order(struct model *m, const struct model_timer *t,
			const struct wheel_event *event)
{
	if (!t->in_time || t->word || event->deadline != t->deadline)
		return;
	if (t->due < m->last_due || (t->due == m->last_due && t->order < m->last_order))
		breach_add(&m->breaches, BREACH_ORDER,
			   "line %u: timer %u fired after one due later", t->line,
			   number_of(m, t));
	m->last_order = t->order;
	m->last_due = t->due;
}

static void add_lateness(struct model *m, const struct model_timer *t,
			 const struct wheel_event *event)
{
	u64 late = event->fired - event->deadline;

	if (event->fired < event->deadline)
		return;
	m->buckets[histogram_bucket(late)]++;
	samples_add(&m->late, late);
	if (t->in_time)
		samples_add(&m->late_in_time, late);
}

void model_event(struct model *m, const struct wheel_event *event, u64 received)
{
	u32 slot = WHEEL_ID_SLOT(event->id);
	struct model_timer *t = slot < m->timers ? &m->timer[slot] : NULL;

	if (event->seq != m->seq)
		breach_add(&m->breaches, BREACH_WRONG, "event %u has the sequence number %u",
			   m->seq, event->seq);
	m->seq = event->seq + 1;

	if (!t || t->state == MODEL_IDLE || t->gen != WHEEL_ID_GEN(event->id)) {
		breach_add(&m->breaches, BREACH_DUPLICATE,
			   "timer %u fired, but its generation %llu is not pending", slot,
			   WHEEL_ID_GEN(event->id));
		return;
	}
	check_content(m, t, event, received);
	check_early(m, t, event, received);
	check_order(m, t, event);
	add_lateness(m, t, event);
	m->fired++;
	set_idle(m, t);
}

void model_await(struct model *m, u64 horizon)
{
	u32 i;

	m->horizon = horizon;
	m->awaited = 0;
	for (i = 0; i < m->timers; i++)
		if (m->timer[i].state != MODEL_IDLE && m->timer[i].due <= horizon)
			m->awaited++;
}

void model_lose(struct model *m)
{
	u32 i;

	for (i = 0; i < m->timers; i++) {
		struct model_timer *t = &m->timer[i];

		if (t->state != MODEL_FIRED)
			continue;
		breach_add(&m->breaches, BREACH_LOST,
			   "line %u: timer %u fired, but no event was received", t->line, i);
		set_idle(m, t);
	}
}

void model_listed(struct model *m, const struct wheel_op *op)
{
	u32 slot = WHEEL_ID_SLOT(op->id);
	struct model_timer *t = slot < m->timers ? &m->timer[slot] : NULL;

	if (!t || t->state != MODEL_PENDING || t->listed || t->gen != WHEEL_ID_GEN(op->id))
		breach_add(&m->breaches, BREACH_WRONG, "timer %u is listed, but not pending",
			   slot);
	else if (op->op != WHEEL_OP_ARM || op->when != t->deadline || op->cookie != t->cookie ||
		 op->slack || op->period)
		breach_add(&m->breaches, BREACH_WRONG,
			   "line %u: timer %u is listed with other values than armed", t->line,
			   slot);
	if (t)
		t->listed = true;
}

void model_compare(struct model *m, const struct wheel_stats *stats)
{
	/* A timer that is parked before the kernel has queued it is not counted. */
	u64 settled = stats->fired + stats->cancelled + stats->pending;
	const struct {
		const char *name;
		u64 device;
		u64 model;
	} counters[] = {
		{ "armed", stats->armed, m->words ? settled : m->armed },
		{ "fired", stats->fired, m->fired },
		{ "cancelled", stats->cancelled, m->words ? stats->cancelled : m->cancelled },
		{ "pending", stats->pending, m->pending },
		{ "rearmed", stats->rearmed, m->words ? stats->rearmed : m->rearmed },
		{ "refused", stats->refused, 0 },
		{ "overruns", stats->overruns, 0 },
		{ "unread", stats->unread, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (counters[i].device != counters[i].model)
			breach_add(&m->breaches, BREACH_COUNTER,
				   "%s: the device counts %llu, the model %llu",
				   counters[i].name, counters[i].device, counters[i].model);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (stats->late[i] != m->buckets[i])
			breach_add(&m->breaches, BREACH_COUNTER,
				   "late[%zu]: the device counts %llu, the model %llu", i,
				   stats->late[i], m->buckets[i]);
}
