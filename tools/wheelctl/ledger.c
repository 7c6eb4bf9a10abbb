// SPDX-License-Identifier: MIT
/*
 * Our own book of what the device owes us: the witness of its promises.
 */
#include "ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "due.h"
#include "memory.h"
#include "text.h"

void ledger_init(struct ledger *l, u32 timers, u64 tick)
{
	memset(l, 0, sizeof(*l));
	l->timer = memory_zeroed(timers, sizeof(*l->timer));
	l->timers = timers;
	l->tick = tick;
}

void ledger_free(struct ledger *l)
{
	free(l->timer);
	samples_free(&l->late);
	samples_free(&l->late_in_time);
}

static u32 number_of(const struct ledger *l, const struct ledger_timer *t)
{
	return (u32)(t - l->timer);
}

/**
 * ledger_ask - what to hand to the device
 * @l: ledger
 * @r: what the trace wants
 * @op: filled
 *
 * The request has to be answered before another one for the same timer is made.
 */
void ledger_ask(struct ledger *l, const struct ledger_request *r,
		struct wheel_op *op)
{
	struct ledger_timer *t = &l->timer[r->timer];

	memset(op, 0, sizeof(*op));
	/* An answer that is not given must not look like one. */
	op->res = -EINPROGRESS;
	if (r->deadline == NEVER) {
		op->op = WHEEL_OP_CANCEL;
	} else if (t->state == LEDGER_PENDING) {
		op->op = WHEEL_OP_REARM;
		op->when = r->deadline;
	} else {
		op->op = WHEEL_OP_ARM;
		op->when = r->deadline;
		op->cookie = l->armed + 1;
		t->gen++;
	}
	op->id = WHEEL_ID(r->timer, t->gen);
}

static void forget(struct ledger *l, struct ledger_timer *t)
{
	if (t->state == LEDGER_OWED)
		l->owed--;
	if (t->due <= l->horizon)
		l->awaited--;
	l->pending--;
	t->state = LEDGER_IDLE;
}

static void note_deadline(struct ledger *l, const struct ledger_request *r,
			  const struct wheel_op *op, u64 now)
{
	struct ledger_timer *t = &l->timer[r->timer];

	t->deadline = r->deadline;
	t->due = due_time(l->tick, r->deadline, now);
	t->in_time = now < r->deadline;
	t->filed = l->armed + l->rearmed;
	t->line = r->line;
	t->touched = op->flags & WHEEL_OP_TOUCH;
}

/* The device still had it when it was asked: could it still have it? */
static void check_overdue(struct ledger *l, const struct ledger_timer *t,
			  u64 asked)
{
	if (asked > t->due && asked - t->due > LOST_AFTER_NS)
		breach_add(&l->breaches, BREACH_LOST,
			   "line %u: timer %u was due %s ago and is pending",
			   t->line, number_of(l, t),
			   text_time(asked - t->due).s);
	else if (t->in_time && t->due < l->last_due)
		breach_add(&l->breaches, BREACH_ORDER,
			   "line %u: timer %u was passed over", t->line,
			   number_of(l, t));
}

static void note_done(struct ledger *l, const struct ledger_request *r,
		      const struct wheel_op *op, u64 now)
{
	struct ledger_timer *t = &l->timer[r->timer];

	if (op->op == WHEEL_OP_ARM) {
		l->armed++;
		l->pending++;
		t->state = LEDGER_PENDING;
		t->cookie = op->cookie;
		t->gen = WHEEL_ID_GEN(op->id);
		note_deadline(l, r, op, now);
		return;
	}
	check_overdue(l, t, r->asked);
	if (op->op == WHEEL_OP_REARM) {
		l->rearmed++;
		note_deadline(l, r, op, now);
		return;
	}
	if (l->closing && !t->listed)
		breach_add(&l->breaches, BREACH_WRONG,
			   "line %u: timer %u is pending, but was not listed",
			   t->line, r->timer);
	l->cancelled++;
	forget(l, t);
}

/**
 * ledger_answer - what the device answered
 * @l: ledger
 * @r: what we wanted
 * @op: as ledger_ask() made it, with the answer
 * @now: our clock, after it was answered
 *
 * Return: whether the same has to be asked again, once the event is here.
 */
bool ledger_answer(struct ledger *l, const struct ledger_request *r,
		   const struct wheel_op *op, u64 now)
{
	static const char *const names[] = {
		[WHEEL_OP_ARM]		= "arm",
		[WHEEL_OP_REARM]	= "re-arm",
		[WHEEL_OP_CANCEL]	= "cancel",
	};
	struct ledger_timer *t = &l->timer[r->timer];
	bool was_idle = t->state == LEDGER_IDLE;
	bool is_arm = op->op == WHEEL_OP_ARM;

	if (op->op == WHEEL_OP_CANCEL && was_idle && op->res == -ENOENT) {
		l->idle_cancels++;
		return false;
	}
	if (!op->res && is_arm == was_idle) {
		note_done(l, r, op, now);
		return false;
	}
	if (op->res == -ENOENT && !was_idle) {
		l->races++;
		l->owed++;
		t->state = LEDGER_OWED;
		return op->op == WHEEL_OP_REARM;
	}
	breach_add(&l->breaches, BREACH_ANSWER,
		   "line %u: %s of timer %u, %s, was answered %d", r->line,
		   names[op->op], r->timer, was_idle ? "idle" : "pending",
		   op->res);
	return false;
}

/* The event must be the one that we asked for. */
static void check_content(struct ledger *l, const struct ledger_timer *t,
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
		breach_add(&l->breaches, BREACH_WRONG,
			   "line %u: the event of timer %u %s", t->line,
			   number_of(l, t), what);
}

/* Never early: by its own word and by our clock. */
static void check_early(struct ledger *l, const struct ledger_timer *t,
			const struct wheel_event *event, u64 received)
{
	u64 seen = event->fired < received ? event->fired : received;

	if (seen < t->deadline)
		breach_add(&l->breaches, BREACH_EARLY,
			   "line %u: timer %u fired %s before its deadline",
			   t->line, number_of(l, t),
			   text_time(t->deadline - seen).s);
}

/*
 * As they are due, then in the order filed. Of what we asked late we do not know, nor
 * when the kernel files what was touched.
 */
static void check_order(struct ledger *l, const struct ledger_timer *t,
			const struct wheel_event *event)
{
	if (!t->in_time || event->deadline != t->deadline)
		return;
	if (t->due < l->last_due ||
	    (t->due == l->last_due && t->filed < l->last_filed && !t->touched))
		breach_add(&l->breaches, BREACH_ORDER,
			   "line %u: timer %u fired after one due later",
			   t->line, number_of(l, t));
	if (!t->touched)
		l->last_filed = t->filed;
	else if (t->due != l->last_due)
		l->last_filed = 0;
	l->last_due = t->due;
}

static void note_late(struct ledger *l, const struct ledger_timer *t,
		      const struct wheel_event *event)
{
	u64 late = event->fired - event->deadline;

	if (event->fired < event->deadline)
		return;
	l->buckets[histogram_bucket(late)]++;
	samples_add(&l->late, late);
	if (t->in_time)
		samples_add(&l->late_in_time, late);
}

/**
 * ledger_event - an event came
 * @l: ledger
 * @event: the event
 * @received: our clock, after it was read
 */
void ledger_event(struct ledger *l, const struct wheel_event *event,
		  u64 received)
{
	u32 slot = WHEEL_ID_SLOT(event->id);
	struct ledger_timer *t;

	if (event->seq != l->seq)
		breach_add(&l->breaches, BREACH_WRONG,
			   "event %u of the file came as number %u", l->seq,
			   event->seq);
	l->seq = event->seq + 1;

	t = slot < l->timers ? &l->timer[slot] : NULL;
	if (!t || t->state == LEDGER_IDLE ||
	    t->gen != WHEEL_ID_GEN(event->id)) {
		breach_add(&l->breaches, BREACH_DUPLICATE,
			   "timer %u fired, but its arm %llu is not outstanding",
			   slot, WHEEL_ID_GEN(event->id));
		return;
	}
	check_content(l, t, event, received);
	check_early(l, t, event, received);
	check_order(l, t, event);
	note_late(l, t, event);
	l->fired++;
	forget(l, t);
}

/**
 * ledger_await - count in @awaited the timers that are due by @horizon
 * @l: ledger
 * @horizon: time
 */
void ledger_await(struct ledger *l, u64 horizon)
{
	u32 i;

	l->horizon = horizon;
	l->awaited = 0;
	for (i = 0; i < l->timers; i++)
		if (l->timer[i].state != LEDGER_IDLE &&
		    l->timer[i].due <= horizon)
			l->awaited++;
}

/**
 * ledger_lose - no event that is owed came in time: they are lost
 * @l: ledger
 */
void ledger_lose(struct ledger *l)
{
	u32 i;

	for (i = 0; i < l->timers; i++) {
		struct ledger_timer *t = &l->timer[i];

		if (t->state != LEDGER_OWED)
			continue;
		breach_add(&l->breaches, BREACH_LOST,
			   "line %u: timer %u fired, but no event came",
			   t->line, i);
		forget(l, t);
	}
}

/**
 * ledger_listed - the device says that a timer is pending
 * @l: ledger, after all events were read
 * @op: the operation that would arm the timer again
 */
void ledger_listed(struct ledger *l, const struct wheel_op *op)
{
	u32 slot = WHEEL_ID_SLOT(op->id);
	struct ledger_timer *t = slot < l->timers ? &l->timer[slot] : NULL;

	if (!t || t->state != LEDGER_PENDING || t->listed ||
	    t->gen != WHEEL_ID_GEN(op->id))
		breach_add(&l->breaches, BREACH_WRONG,
			   "timer %u is listed, but not outstanding", slot);
	else if (op->op != WHEEL_OP_ARM || op->when != t->deadline ||
		 op->cookie != t->cookie || op->slack || op->period)
		breach_add(&l->breaches, BREACH_WRONG,
			   "line %u: timer %u is listed otherwise than armed",
			   t->line, slot);
	if (t)
		t->listed = true;
}

/**
 * ledger_compare - does the device count as we do?
 * @l: ledger, after all events were read
 * @stats: the device's counters
 */
void ledger_compare(struct ledger *l, const struct wheel_stats *stats)
{
	const struct {
		const char *name;
		u64 device;
		u64 ledger;
	} counters[] = {
		{ "armed", stats->armed, l->armed - l->by_word.revived },
		{ "fired", stats->fired, l->fired },
		{ "cancelled", stats->cancelled,
		  l->cancelled - l->by_word.revived },
		{ "pending", stats->pending, l->pending },
		{ "rearmed", stats->rearmed,
		  l->by_word.count ? stats->rearmed : l->rearmed },
		{ "refused", stats->refused, 0 },
		{ "overruns", stats->overruns, 0 },
		{ "unread", stats->unread, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (counters[i].device != counters[i].ledger)
			breach_add(&l->breaches, BREACH_COUNTER,
				   "%s: the device counts %llu, the ledger %llu",
				   counters[i].name, counters[i].device,
				   counters[i].ledger);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (stats->late[i] != l->buckets[i])
			breach_add(&l->breaches, BREACH_COUNTER,
				   "late[%zu]: the device counts %llu, the ledger %llu",
				   i, stats->late[i], l->buckets[i]);
}
