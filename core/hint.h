/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Hints. Walking a list costs one cache miss after the other, because each node stores the
 * address of the next. In a long bucket, each timer therefore stores the distance to a timer
 * queued 17 places later, which is prefetched when the first is visited. A hint is never
 * dereferenced: the other timer may have been cancelled or freed.
 *
 *	bucket -> t0 .. t62 [lagging: t63] .. t79 [tail]  <- t80 is appended
 *			     \____________hint____________/
 *
 * Each appended timer becomes the hint of the lagging timer, and the next one lags then. The
 * lagging timer is always in the bucket: if it leaves, the next one takes its place, one place
 * nearer to the tail. If no timer follows, counting restarts. A short bucket only counts.
 */
#ifndef _WHEEL_CORE_HINT_H
#define _WHEEL_CORE_HINT_H

#include "core.h"

/* The lagging timer is this many places before the last one. */
#define HINT_LEAD	16
/* Units of a bucket's state: below HINT_FULL, a number of timers; above, the lagging node. */
#define HINT_ONE	(BUCKET_FLAGS + 1)
#define HINT_FULL	(80 * HINT_ONE)
/* The bucket is open: no hints are written, and timers leave it without hint_leave(). */
#define HINT_CLOSED	HINT_FULL

/* A hint of 32 bits reaches 16 GB in both directions in this unit. */
#define HINT_UNIT_SHIFT	3
#define CACHE_LINE	64

static inline struct wheel_timer *timer_of(const struct list_head *node)
{
	return list_entry(node, struct wheel_timer, node);
}

static inline void hint_close(struct wheel_bucket *bucket)
{
	bucket->state = HINT_CLOSED | (bucket->state & BUCKET_FLAGS);
}

static inline void hint_restart(struct wheel_bucket *bucket)
{
	bucket->state &= BUCKET_FLAGS;
}

/* A distance that does not fit makes the hint wrong, but harmless. */
static inline void hint_give(struct wheel_timer *t, const struct wheel_timer *later)
{
	t->hint = (s32)((long)((unsigned long)later - (unsigned long)t) >> HINT_UNIT_SHIFT);
}

/* Most timers occupy two cache lines. */
static inline void hint_take(const struct wheel_timer *t)
{
	unsigned long later = (unsigned long)t + ((unsigned long)t->hint << HINT_UNIT_SHIFT);

	prefetch((void *)later);
	prefetch((void *)(later + CACHE_LINE));
}

/* The bucket has become long: find the lagging timer, whose place is known from now on. */
static inline void hint_start(struct wheel_bucket *bucket, struct list_head *last)
{
	u32 i;

	for (i = 0; i < HINT_LEAD; i++)
		last = last->prev;
	bucket->state = (unsigned long)last | (bucket->state & BUCKET_FLAGS);
}

/* @t is the last timer of @bucket. */
static inline void hint_append(struct wheel_bucket *bucket, struct wheel_timer *t)
{
	unsigned long state = bucket->state;

	if (state < HINT_FULL - HINT_ONE) {
		bucket->state = state + HINT_ONE;
	} else if (likely(state > (HINT_CLOSED | BUCKET_FLAGS))) {
		struct list_head *lag = (struct list_head *)(state & ~BUCKET_FLAGS);

		bucket->state = (unsigned long)lag->next | (state & BUCKET_FLAGS);
		hint_give(timer_of(lag), t);
	} else if (state < HINT_FULL) {
		hint_start(bucket, &t->node);
	}
}

/* @t is about to leave @bucket. */
static inline void hint_leave(struct wheel_bucket *bucket, const struct wheel_timer *t)
{
	unsigned long state = bucket->state;

	if (state - HINT_ONE < HINT_FULL - HINT_ONE) {
		bucket->state = state - HINT_ONE;
	} else if (unlikely((state ^ (unsigned long)&t->node) <= BUCKET_FLAGS)) {
		hint_restart(bucket);
		if (t->node.next != &bucket->timers)
			bucket->state |= (unsigned long)t->node.next;
	}
}

#endif
