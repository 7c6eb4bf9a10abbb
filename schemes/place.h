/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Filing a timer and taking it out: the verbs that are called for every timer,
 * inline with the two usual schemes, so that an arm is one function.
 */
#ifndef _WHEEL_SCHEMES_PLACE_H
#define _WHEEL_SCHEMES_PLACE_H

#include "hashed.h"
#include "hierarchical.h"

/**
 * struct wheel_due - when a timer is due
 * @tick: at this tick
 * @order: its slack allows to round any tick up to a multiple of 2^@order
 */
struct wheel_due {
	u64	tick;
	u8	order;
};

struct wheel_due wheel_due_within(const struct wheel_core *w, u64 deadline,
				  u64 slack);

/* x / d = mulhi(2 * x, m) >> l, see wheel.c */
static inline u64 wheel_tick_floor(const struct wheel_tick *tick, u64 ns)
{
	return wheel_mulhi(ns << 1, tick->mul) >> tick->shift;
}

static inline u64 wheel_tick_ceil(const struct wheel_tick *tick, u64 ns)
{
	return likely(ns) ? wheel_tick_floor(tick, ns - 1) + 1 : 0;
}

/**
 * wheel_time_of - when a tick is
 * @w: wheel
 * @tick: of a time up to the clock's end
 *
 * Return: nanoseconds, at most WHEEL_END_NS.
 */
static inline u64 wheel_time_of(const struct wheel_core *w, u64 tick)
{
	return min(tick * w->tick.ns, WHEEL_END_NS);
}

/* Without slack. */
static inline struct wheel_due wheel_due_at(const struct wheel_core *w,
					    u64 deadline)
{
	u64 tick = wheel_tick_ceil(&w->tick, deadline);

	return (struct wheel_due){ .tick = max(tick, w->floor) };
}

static inline struct wheel_due wheel_due_of(const struct wheel_core *w,
					    u64 deadline, u64 slack)
{
	if (likely(!slack))
		return wheel_due_at(w, deadline);
	return wheel_due_within(w, deadline, slack);
}

/* Is a tick later than the scheme can hold? */
static inline bool wheel_beyond(const struct wheel_core *w, u64 tick)
{
	return unlikely((s64)(tick - w->floor) > w->span);
}

/* Where a scheme has a bound, slack may not lead beyond it. */
static inline int wheel_admit(const struct wheel_core *w, u64 deadline, u64 slack,
			      struct wheel_due *due)
{
	*due = wheel_due_of(w, deadline, slack);
	if (wheel_beyond(w, due->tick)) {
		*due = wheel_due_at(w, deadline);
		if (wheel_beyond(w, due->tick))
			return -ERANGE;
	}
	/* At the clock's end there is no next tick for what is overdue. */
	return unlikely(due->tick > w->last) ? -ERANGE : 0;
}

static inline void wheel_file(struct wheel_core *w, struct wheel_timer *t,
			      struct wheel_due due)
{
	const struct wheel_scheme *scheme = w->scheme;

	t->due = due.tick;
	t->order = due.order;
	t->hint = 0;
	if (scheme == &wheel_hierarchical)
		hierarchical_file(w, t);
	else if (scheme->file == wheel_hashed_file)
		hashed_file(w, t);
	else
		scheme->file(w, t);
	if (due.tick < w->next)
		w->next = due.tick;
}

static inline void wheel_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	const struct wheel_scheme *scheme = w->scheme;

	if (scheme == &wheel_hierarchical)
		hierarchical_unfile(w, t);
	else if (scheme->unfile == wheel_hashed_unfile)
		hashed_unfile(w, t);
	else
		scheme->unfile(w, t);
	if (unlikely(t->due == w->next)) {
		w->found = false;
		w->lost = true;
	}
}

/**
 * wheel_place - file a timer
 * @w: wheel
 * @t: timer that is not filed
 * @deadline: nanoseconds, at most WHEEL_END_NS
 * @slack: nanoseconds later that are as good
 *
 * Return: 0, or -ERANGE: later than the scheme can hold.
 */
static inline int wheel_place(struct wheel_core *w, struct wheel_timer *t,
			      u64 deadline, u64 slack)
{
	struct wheel_due due;
	int err = wheel_admit(w, deadline, slack, &due);

	if (unlikely(err))
		return err;
	WRITE_ONCE(t->deadline, deadline);
	wheel_file(w, t, due);
	w->drained = 0;
	w->pending++;
	return 0;
}

/**
 * wheel_move - file a timer anew
 * @w: wheel
 * @t: timer that is filed
 * @deadline: nanoseconds, at most WHEEL_END_NS
 * @slack: nanoseconds later that are as good
 *
 * Return: 0, or -ERANGE: later than the scheme can hold; nothing changed.
 */
static inline int wheel_move(struct wheel_core *w, struct wheel_timer *t,
			     u64 deadline, u64 slack)
{
	struct wheel_due due;
	int err = wheel_admit(w, deadline, slack, &due);

	if (unlikely(err))
		return err;
	wheel_unfile(w, t);
	WRITE_ONCE(t->deadline, deadline);
	wheel_file(w, t, due);
	/* Who drains the wheel need not begin anew for it, and so comes to the end. */
	w->drained = min(w->drained, t->bucket);
	return 0;
}

/**
 * wheel_remove - take out a timer that shall not fire
 * @w: wheel
 * @t: timer that is filed
 *
 * When it was the earliest, the next expiry is not known exactly any more, only
 * not to be earlier: the next pass finds out.
 */
static inline void wheel_remove(struct wheel_core *w, struct wheel_timer *t)
{
	wheel_unfile(w, t);
	WRITE_ONCE(t->deadline, READ_ONCE(t->deadline) | WHEEL_IDLE);
	w->pending--;
}

struct wheel_timer *wheel_pop_on(struct wheel_core *w, u64 until,
				 unsigned int *budget);

/* The next timer of the bucket that a pass has open, if it is due; detached. */
static inline struct wheel_timer *wheel_pop_open(struct wheel_core *w)
{
	const struct list_head *next, *end;
	struct wheel_bucket *bucket;
	struct wheel_timer *t;
	u64 tick;

	if (w->opened) {
		bucket = w->opened;
		next = bucket->timers.next;
		end = &bucket->timers;
		tick = w->taken;
	} else if (w->walk.bucket && w->walk.tick > w->clock) {
		bucket = w->walk.bucket;
		next = w->walk.walked.next;
		end = &w->walk.newer;
		tick = w->walk.tick;
	} else {
		return NULL;
	}
	if (next == end)
		return NULL;
	t = timer_of(next);
	if (t->due != tick)
		return NULL;
	w->walk.seen++;
	hint_take(t);
	ring_detach(&w->ring, bucket, t);
	return t;
}

/**
 * wheel_pop - go on with a pass: take the next timer that is due
 * @w: wheel
 * @until: the tick to advance to
 * @budget: timers and places to look at, counted down
 *
 * Timers come by due tick, then in the order armed. Each stays filed, and can be
 * removed, until it is returned. Between two calls timers may be placed and
 * removed at will.
 *
 * Return: the timer, not filed any more; or NULL. With budget left NULL means
 * that all is done: nothing is due by @until and the next expiry is known. It is
 * exact, unless timers were removed between the calls or from a crowded bucket; then
 * it is a lower bound.
 */
static inline struct wheel_timer *wheel_pop(struct wheel_core *w, u64 until,
					    unsigned int *budget)
{
	struct wheel_timer *t;

	w->floor = max(w->floor, until + 1);
	if (!*budget)
		return NULL;
	t = wheel_pop_open(w);
	if (!t)
		return wheel_pop_on(w, until, budget);
	(*budget)--;
	w->pending--;
	return t;
}

static inline bool wheel_filed(const struct wheel_timer *t)
{
	return READ_ONCE(t->bucket) != WHEEL_UNFILED;
}

#endif
