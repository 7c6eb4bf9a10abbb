/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Filing a timer and taking it out: the verbs that are called for every timer,
 * inline with the two usual schemes, so that an arm is one function.
 */
#ifndef _WHEEL_SCHEMES_PLACE_H
#define _WHEEL_SCHEMES_PLACE_H

#include "../core/tick.h"
#include "hashed.h"
#include "hierarchical.h"

/* Slack may not lead beyond the bound of a scheme that has one. */
static inline int wheel_admit(const struct wheel_core *w, u64 deadline, u64 slack,
			      struct wheel_due *due)
{
	*due = wheel_due_of(w, deadline, slack);
	if (likely(due->tick <= w->latest))
		return 0;
	*due = wheel_due_at(w, deadline);
	return due->tick <= w->latest ? 0 : -ERANGE;
}

/*
 * @scheme is that of the wheel. Where it is a constant the compiler leaves the others out, and
 * with them the registers that it saves for their calls.
 */
static __always_inline void wheel_file(struct wheel_core *w,
				       const struct wheel_scheme *scheme,
				       struct wheel_timer *t, struct wheel_due due)
{
	t->due_tick = due.tick;
	t->hint = 0;
	if (scheme == &wheel_hierarchical) {
		hierarchical_file(w, t, due.order);
	} else if (scheme->file == wheel_hashed_file) {
		hashed_file(w, t, due.order);
	} else {
		scheme->file(w, t, due.order);
		w->next = min(w->next, due.tick);
	}
}

static __always_inline void wheel_unfile(struct wheel_core *w,
					 const struct wheel_scheme *scheme,
					 struct wheel_timer *t)
{
	if (scheme == &wheel_hierarchical) {
		hierarchical_unfile(w, t);
	} else if (scheme->unfile == wheel_hashed_unfile) {
		hashed_unfile(w, t);
	} else {
		scheme->unfile(w, t);
		ring_forget(w, t->due_tick);
	}
}

/* wheel_place(), of a timer that is admitted. */
static __always_inline void wheel_put(struct wheel_core *w,
				      const struct wheel_scheme *scheme,
				      struct wheel_timer *t, u64 deadline,
				      struct wheel_due due)
{
	WRITE_ONCE(t->deadline, deadline);
	wheel_file(w, scheme, t, due);
	w->pending++;
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
static __always_inline int wheel_place(struct wheel_core *w, struct wheel_timer *t,
				       u64 deadline, u64 slack)
{
	struct wheel_due due;
	int err = wheel_admit(w, deadline, slack, &due);

	if (unlikely(err))
		return err;
	wheel_put(w, w->scheme, t, deadline, due);
	return 0;
}

/* wheel_move(), of a timer that is admitted. */
static __always_inline void wheel_refile(struct wheel_core *w,
					 const struct wheel_scheme *scheme,
					 struct wheel_timer *t, u64 deadline,
					 struct wheel_due due)
{
	wheel_unfile(w, scheme, t);
	WRITE_ONCE(t->deadline, deadline);
	wheel_file(w, scheme, t, due);
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
static __always_inline int wheel_move(struct wheel_core *w, struct wheel_timer *t,
				      u64 deadline, u64 slack)
{
	struct wheel_due due;
	int err = wheel_admit(w, deadline, slack, &due);

	if (unlikely(err))
		return err;
	wheel_refile(w, w->scheme, t, deadline, due);
	return 0;
}

/* wheel_remove(), of a wheel of this scheme. */
static __always_inline void wheel_take(struct wheel_core *w,
				       const struct wheel_scheme *scheme,
				       struct wheel_timer *t)
{
	wheel_unfile(w, scheme, t);
	timer_set_place(t, WHEEL_UNFILED, 0);
	WRITE_ONCE(t->deadline, READ_ONCE(t->deadline) | WHEEL_IDLE);
	w->pending--;
}

/**
 * wheel_remove - take out a timer that shall not fire
 * @w: wheel
 * @t: timer that is filed
 *
 * When it was the earliest, the next expiry is not known exactly any more, only
 * not to be earlier: the next pass finds out.
 */
static __always_inline void wheel_remove(struct wheel_core *w, struct wheel_timer *t)
{
	wheel_take(w, w->scheme, t);
}

/* The next timer of the open bucket, if it is due; detached. */
static inline struct wheel_timer *wheel_pop_open(struct wheel_core *w)
{
	struct wheel_walk *walk = &w->walk;
	struct wheel_timer *t;

	if (!walk->bucket || walk->tick <= w->clock || wheel_walk_over(walk))
		return NULL;
	t = timer_of(walk->from->next);
	if (t->due_tick != walk->tick)
		return NULL;
	walk->seen++;
	hint_take(t);
	timer_detach(t);
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

	wheel_raise_floor(w, until);
	if (!*budget)
		return NULL;
	t = wheel_pop_open(w);
	if (t)
		(*budget)--;
	else
		t = INDIRECT_CALL_2(w->scheme->pop, wheel_hierarchical_pop,
				    wheel_hashed_pop, w, until, budget);
	if (t)
		w->pending--;
	return t;
}

static inline bool wheel_filed(const struct wheel_timer *t)
{
	return timer_bucket(t) != WHEEL_UNFILED;
}

#endif
