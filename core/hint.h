/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Hints. To walk a list is one miss of the cache after the other, since only a
 * timer that has come says where the next one lies. So in a long bucket each timer
 * also says where one further on lies, which is fetched meanwhile. A hint is never
 * followed: it may point to what was cancelled, or freed, or never was.
 *
 *	bucket -> t0 .. t63 [lags] .. t79 [tail]  <- t80 is armed
 *		       \________hint______________/
 *
 * Each newly armed timer becomes the hint of the lagging one, and the next one lags then.
 * That timer is always in the bucket: when it leaves, the next one takes its place, a
 * step nearer to the tail; when there is none, counting starts anew. A bucket of few
 * timers costs no more than the count.
 */
#ifndef _WHEEL_CORE_HINT_H
#define _WHEEL_CORE_HINT_H

#include "core.h"

/* When a bucket holds so many timers one begins to lag, with so many behind it. */
#define HINT_SHORT	64
#define HINT_LEAD	16

/* In these units a hint of 24 bits reaches 512 MB to either side. */
#define HINT_UNIT	64

static inline struct wheel_timer *timer_of(const struct list_head *node)
{
	return list_entry(node, struct wheel_timer, node);
}

static inline void hint_restart(struct wheel_bucket *bucket)
{
	bucket->lead = 0;
}

/* The hint is wrong if @later lies too far away, which does no harm. */
static inline void hint_give(struct wheel_timer *t, const struct wheel_timer *later)
{
	t->hint = (s32)((unsigned long)later / HINT_UNIT -
			(unsigned long)t / HINT_UNIT);
}

/* Most timers lie on two lines of the cache. */
static inline void hint_take(const struct wheel_timer *t)
{
	unsigned long later = (unsigned long)t + (unsigned long)t->hint * HINT_UNIT;

	prefetch((void *)later);
	prefetch((void *)(later + HINT_UNIT));
}

/* @t has become the last of @bucket, which is number @at. Most buckets are short. */
static inline void hint_append(struct wheel_ring *r, struct wheel_bucket *bucket,
			       u32 at, struct wheel_timer *t)
{
	if (likely(bucket->lead < HINT_SHORT - 1)) {
		bucket->lead++;
	} else if (bucket->lead == HINT_SHORT + HINT_LEAD) {
		struct list_head *lag = r->lag[at];

		r->lag[at] = lag->next;
		hint_give(timer_of(lag), t);
	} else if (++bucket->lead == HINT_SHORT) {
		r->lag[at] = &t->node;
	}
}

/* @t is about to leave its bucket. */
static inline void hint_leave(struct wheel_ring *r, struct wheel_bucket *bucket,
			      const struct wheel_timer *t)
{
	if (bucket->lead < HINT_SHORT) {
		bucket->lead -= bucket->lead > 0;
	} else if (unlikely(r->lag[t->bucket] == &t->node)) {
		r->lag[t->bucket] = t->node.next;
		if (t->node.next == &bucket->timers)
			hint_restart(bucket);
	}
}

#endif
