/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Timing wheels as a pure data structure: no locking, no clock reads, no allocation, no user
 * memory access. The caller serializes all calls and passes the current time.
 *
 * A tick is tick.ns nanoseconds long; ticks are counted from the clock's zero. A timer is due
 * at the first tick boundary at or after its deadline, or at a later one within its slack,
 * but never at a tick that has already been processed:
 *
 *	due = max(ceil(deadline / tick), floor), rounded up within the slack
 *
 *	     clock           floor
 *	-------|---------------|---------------------------->  ticks
 *	 done  | in progress   | possible due ticks of a timer armed now
 *
 * Outside a pass, floor is the tick after the last time passed to the wheel. The wheel's
 * clock is not advanced while no timer is due. A pass up to tick T sets floor to T + 1. A
 * callback that arms a timer in the past is therefore served once, by the next pass, and not
 * once per tick after a stall.
 *
 * Invariant: the clock enters a bucket only when the bucket contains no due timer. Until then,
 * timers armed for this bucket are appended to its list. Timers due at the same tick therefore
 * expire in the order in which they were armed.
 *
 * The owner may change the deadline of a queued timer without calling the wheel. The new
 * value is read when the wheel dequeues the timer: see wheel_pop() and wheel_requeue().
 *
 * Ranges for several tick lengths. The hierarchical wheel reaches the end of a 63-bit clock
 * of nanoseconds:
 *
 *	level  buckets  granularity  range      1 us      1 ms    100 ms
 *	    0       64            1    2^6     64 us     64 ms     6.4 s
 *	    1       64          2^6   2^12    4.1 ms     4.1 s   6.8 min
 *	    2       64         2^12   2^18  262.1 ms   4.4 min     7.3 h
 *	    3       64         2^18   2^24    16.8 s     4.7 h    19.4 d
 *	    4       64         2^24   2^30  17.9 min    12.4 d     3.4 y
 *	    5       64         2^30   2^36    19.1 h     2.2 y   217.8 y
 *	    6       64         2^36   2^42    50.9 d   139.4 y   292.3 y
 *	    7       64         2^42   2^48     8.9 y   292.3 y         -
 *	    8       64         2^48   2^54   292.3 y         -         -
 *	    9       64         2^54   2^60         -         -         -
 *	   10       64         2^60   2^66         -         -         -
 *
 * The other wheels have one ring. One revolution takes:
 *
 *	     buckets                          1 us      1 ms    100 ms
 *	         256                        256 us    256 ms    25.6 s
 *	        4096                        4.1 ms     4.1 s   6.8 min
 *	       65536                       65.5 ms   1.1 min     1.8 h
 *	     1048576                         1.0 s  17.5 min     1.2 d
 *
 * See Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", 1987.
 */
#ifndef _WHEEL_H
#define _WHEEL_H

#include "core/core.h"

u32 wheel_buckets(const struct wheel_scheme *scheme, u32 requested, u64 limit);
size_t wheel_memory(u32 buckets);
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 buckets, u64 tick_ns, void *memory);
u64 wheel_span(const struct wheel_core *w);
void wheel_requeue(struct wheel_core *w, struct wheel_timer *t, u64 deadline);
struct wheel_timer *wheel_drain(struct wheel_core *w, unsigned int *budget);
void wheel_forward(struct wheel_core *w, u64 tick);
void wheel_set_back(struct wheel_core *w, u64 tick);

/* For schemes with own_queue */
void wheel_own_enqueue(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due);
void wheel_own_dequeue(struct wheel_core *w, struct wheel_timer *t);

/* Return true if a timer is queued. Without a lock, the result may be outdated. */
static inline bool wheel_is_queued(const struct wheel_timer *t)
{
	return timer_bucket(t) != WHEEL_UNFILED;
}

/*
 * Determine the due tick of a timer. The slack is reduced to 0 if it would exceed the range.
 * Returns 0, or -ERANGE if the deadline, at most WHEEL_END_NS, exceeds the range of the scheme.
 */
static inline int wheel_admit(const struct wheel_core *w, u64 deadline, u64 slack,
			      struct wheel_due *due)
{
	*due = likely(!slack) ? wheel_due_at(w, deadline) : wheel_due_within(w, deadline, slack);
	if (likely(due->tick <= w->latest))
		return 0;
	*due = wheel_due_at(w, deadline);
	return due->tick <= w->latest ? 0 : -ERANGE;
}

/* Return the bucket of a timer that is queued in the ring. */
static inline u32 wheel_at(const struct wheel_core *w, u64 due)
{
	return likely(!w->ring.minima) ? hierarchical_at(due, w->clock) : hashed_at(w, due);
}

/* The caller passes @own, the wheel's own_queue, which may be a constant. */
static __always_inline void wheel_enqueue(struct wheel_core *w, struct wheel_timer *t,
					  struct wheel_due due, bool own)
{
	if (unlikely(own))
		wheel_own_enqueue(w, t, due);
	else
		ring_append(w, wheel_at(w, due.tick), t, due);
}

static __always_inline void wheel_dequeue(struct wheel_core *w, struct wheel_timer *t, bool own)
{
	if (unlikely(own))
		wheel_own_dequeue(w, t);
	else
		ring_remove(w, t);
}

/* wheel_place() after wheel_admit() */
static __always_inline void wheel_put(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
				      struct wheel_due due, bool own)
{
	WRITE_ONCE(t->deadline, deadline);
	wheel_enqueue(w, t, due, own);
	w->pending++;
}

/*
 * Queue a timer that is not queued. The deadline is at most WHEEL_END_NS. Returns 0, or -ERANGE
 * if it exceeds the range of the scheme.
 */
static __always_inline int wheel_place(struct wheel_core *w, struct wheel_timer *t,
				       u64 deadline, u64 slack)
{
	struct wheel_due due;
	int err = wheel_admit(w, deadline, slack, &due);

	if (unlikely(err))
		return err;
	wheel_put(w, t, deadline, due, w->own_queue);
	return 0;
}

/* wheel_move() after wheel_admit() */
static __always_inline void wheel_refile(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
					 struct wheel_due due, bool own)
{
	wheel_dequeue(w, t, own);
	WRITE_ONCE(t->deadline, deadline);
	wheel_enqueue(w, t, due, own);
}

/* Change the deadline of a queued timer. On failure, as in wheel_place(), nothing changes. */
static __always_inline int wheel_move(struct wheel_core *w, struct wheel_timer *t,
				      u64 deadline, u64 slack)
{
	struct wheel_due due;
	int err = wheel_admit(w, deadline, slack, &due);

	if (unlikely(err))
		return err;
	wheel_refile(w, t, deadline, due, w->own_queue);
	return 0;
}

/* wheel_remove() */
static __always_inline void wheel_unfile(struct wheel_core *w, struct wheel_timer *t, bool own)
{
	wheel_dequeue(w, t, own);
	timer_set_place(t, WHEEL_UNFILED, 0);
	WRITE_ONCE(t->deadline, READ_ONCE(t->deadline) | WHEEL_IDLE);
	w->pending--;
}

/*
 * Cancel a queued timer. If it was the earliest, the next expiry becomes a lower bound until the
 * next pass.
 */
static __always_inline void wheel_remove(struct wheel_core *w, struct wheel_timer *t)
{
	wheel_unfile(w, t, w->own_queue);
}

/* Dequeue the next timer of the open bucket if it is due. */
static inline struct wheel_timer *wheel_pop_open(struct wheel_core *w)
{
	struct wheel_walk *walk = &w->walk;

	if (!walk->from || walk->from->next == walk->end ||
	    timer_of(walk->from->next)->due_tick != walk->tick)
		return NULL;
	return wheel_walk_dequeue(walk);
}

/* wheel_pop(). With @last, wheel_popped_all() is determined also if other timers are queued. */
static __always_inline struct wheel_timer *wheel_pop_next(struct wheel_core *w, u64 until,
							  unsigned int *budget, bool last)
{
	struct wheel_timer *t;

	wheel_raise_floor(w, until);
	if (!*budget)
		return NULL;
	t = last ? NULL : wheel_pop_open(w);
	if (t)
		(*budget)--;
	else
		t = INDIRECT_CALL_2(w->scheme->pop, wheel_hierarchical_pop,
				    wheel_hashed_pop, w, until, budget);
	if (t)
		w->pending--;
	return t;
}

/*
 * Continue a pass up to the tick @until: dequeue the next due timer, in order of due tick, then in
 * arming order. A timer remains queued, and can be cancelled, until it is returned. Timers may be
 * armed and cancelled between two calls. The budget is the number of timers and buckets to visit,
 * and is decremented by the work done.
 *
 * Returns NULL if the budget is used up, or if no timer is due. In the latter case, the next
 * expiry is known. It is exact, unless timers were cancelled during the pass or in a long bucket.
 * Then it is a lower bound.
 */
static inline struct wheel_timer *wheel_pop(struct wheel_core *w, u64 until, unsigned int *budget)
{
	return wheel_pop_next(w, until, budget, false);
}

/* Return true if the last wheel_pop() has found that no other timer is due. */
static inline bool wheel_popped_all(const struct wheel_core *w, u64 until)
{
	return w->found && w->next > until;
}

#endif
