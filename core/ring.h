/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Buckets in a ring, and walks through one of them: what the schemes are made of.
 * Inline is what each arm and each cancel does.
 */
#ifndef _WHEEL_CORE_RING_H
#define _WHEEL_CORE_RING_H

#include "hint.h"
#include "minima.h"

void wheel_ring_init(struct wheel_ring *r, u32 buckets, void *memory);
struct wheel_timer *wheel_ring_first(const struct wheel_ring *r, u32 buckets,
				     u32 *from, unsigned int *budget);
u32 wheel_ring_find(const struct wheel_ring *r, u32 from, u32 to,
		    unsigned int *budget);

void wheel_walk_begin(struct wheel_walk *walk, struct wheel_bucket *bucket, u64 tick);
struct wheel_timer *wheel_walk_on(struct wheel_walk *walk, unsigned int *budget);
void wheel_walk_end(struct wheel_walk *walk, struct wheel_ring *r);
void wheel_walk_abandon(struct wheel_walk *walk, struct wheel_ring *r);
bool wheel_walk_refresh(struct wheel_walk *walk, struct wheel_ring *r,
			unsigned int *budget);
bool wheel_walk_mark(const struct wheel_walk *walk, const struct list_head *node);

const char *wheel_bucket_check(const struct wheel_core *w, u32 at, u64 *count);

/* Has a walk seen all that was there when it began? */
static inline bool wheel_walk_over(const struct wheel_walk *walk)
{
	return walk->from->next == walk->end;
}

static inline bool bucket_worth_refreshing(const struct wheel_bucket *bucket)
{
	return (bucket->state & BUCKET_FLAGS) == BUCKET_STALE;
}

/* The word that has the bit of a bucket. */
static inline u64 *ring_busy(const struct wheel_ring *r, u32 at)
{
	return &r->busy[at / 64];
}

static inline u32 ring_at(const struct wheel_ring *r,
			  const struct wheel_bucket *bucket)
{
	return (u32)(bucket - r->bucket);
}

/*
 * At the tail of a list, and out of it. A kernel that checks its lists makes a call for
 * each list_add_tail() and list_del(). Like those of timer_list, ours are not checked:
 * what a check would find is a timer that was overwritten or freed while it was filed,
 * and that debugobjects find, too.
 */
static inline void node_append(struct list_head *node, struct list_head *list)
{
	struct list_head *last = list->prev;

	/* In this order, gcc does not combine two stores in a vector register. */
	node->next = list;
	last->next = node;
	node->prev = last;
	list->prev = node;
}

/* Returns true if it was the only one. */
static inline bool node_remove(struct list_head *node)
{
	struct list_head *next = node->next;
	struct list_head *prev = node->prev;

	next->prev = prev;
	prev->next = next;
	/* Two nodes that are one are the list itself. */
	return next == prev;
}

/* In one store, because timer_bucket() reads it without a lock. */
static inline void timer_set_place(struct wheel_timer *t, u32 bucket, u32 order)
{
	WRITE_ONCE(t->place, order << WHEEL_ORDER_SHIFT | bucket);
}

static inline u32 timer_bucket(const struct wheel_timer *t)
{
	return READ_ONCE(t->place) & WHEEL_UNFILED;
}

/* Remove a timer from its list, hints aside. The timer is no longer pending. */
static inline void timer_detach(struct wheel_timer *t)
{
	WRITE_ONCE(t->place, t->place | WHEEL_UNFILED);
	node_remove(&t->node);
}

/* @due is the bucket's new minimum. */
static inline void ring_lower(struct wheel_core *w, u32 at, u64 due)
{
	w->ring.bucket[at].min = due;
	*ring_busy(&w->ring, at) |= (u64)1 << at % 64;
	if (due < w->next)
		w->next = due;
}

/*
 * Append a timer, whose due tick is set, to bucket @at. Returns true if the bucket's minimum
 * decreased. In an empty bucket it always does, and w->next is at most the minimum.
 */
static inline bool ring_append(struct wheel_core *w, u32 at, struct wheel_timer *t, u32 order)
{
	struct wheel_bucket *bucket = &w->ring.bucket[at];
	u64 due = t->due_tick;

	timer_set_place(t, at, order);
	node_append(&t->node, &bucket->timers);
	hint_append(bucket, t);
	if (likely(due >= bucket->min))
		return false;
	ring_lower(w, at, due);
	return true;
}

/**
 * ring_emptied - a bucket holds no timer any more
 * @r: ring
 * @at: bucket
 */
static inline void ring_emptied(struct wheel_ring *r, u32 at)
{
	struct wheel_bucket *bucket = &r->bucket[at];

	*ring_busy(r, at) &= ~((u64)1 << at % 64);
	bucket->min = WHEEL_NO_TICK;
	bucket->state = 0;
}

/* A timer was removed that w->next may have come from. */
static inline void ring_forget(struct wheel_core *w, u64 due)
{
	if (due == w->next)
		w->found = false;
}

/*
 * Remove a timer from its bucket. Its place is still set. If the bucket's minimum came from
 * it, the bucket is stale now. Returns true if the bucket is empty.
 */
static inline bool ring_remove(struct wheel_core *w, struct wheel_timer *t)
{
	struct wheel_bucket *bucket = &w->ring.bucket[timer_bucket(t)];

	hint_leave(bucket, t);
	if (unlikely(node_remove(&t->node))) {
		ring_emptied(&w->ring, timer_bucket(t));
		ring_forget(w, t->due_tick);
		return true;
	}
	if (unlikely(t->due_tick == bucket->min)) {
		bucket->state |= BUCKET_STALE;
		ring_forget(w, t->due_tick);
	}
	return false;
}

#endif
