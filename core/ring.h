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
struct wheel_timer *wheel_walk_on(struct wheel_walk *walk, struct wheel_ring *r,
				  unsigned int *budget);
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

	node->next = list;
	node->prev = last;
	last->next = node;
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

/* Out of its list, and not pending any more. Returns true if the list is empty. */
static inline bool timer_detach(struct wheel_timer *t)
{
	WRITE_ONCE(t->bucket, WHEEL_UNFILED);
	return node_remove(&t->node);
}

/* Out of its bucket. Returns true if that is empty. */
static inline bool ring_detach(struct wheel_ring *r, struct wheel_bucket *bucket,
			       struct wheel_timer *t)
{
	hint_leave(r, bucket, t);
	return timer_detach(t);
}

/**
 * ring_append - file a timer at the tail of a bucket
 * @r: ring
 * @at: number of the bucket
 * @t: timer, its due tick set
 *
 * Return: true if the bucket was empty.
 */
static inline bool ring_append(struct wheel_ring *r, u32 at, struct wheel_timer *t)
{
	struct wheel_bucket *bucket = &r->bucket[at];
	u64 due = t->due_tick;
	bool empty;

	WRITE_ONCE(t->bucket, at);
	/* This end of the list is read in any case. */
	empty = bucket->timers.prev == &bucket->timers;
	node_append(&t->node, &bucket->timers);
	hint_append(r, bucket, at, t);
	if (due < bucket->min)
		bucket->min = due;
	if (unlikely(empty))
		*ring_busy(r, at) |= (u64)1 << at % 64;
	return empty;
}

/**
 * ring_emptied - a bucket holds no timer any more
 * @r: ring
 * @bucket: bucket
 */
static inline void ring_emptied(struct wheel_ring *r, struct wheel_bucket *bucket)
{
	u32 at = ring_at(r, bucket);

	*ring_busy(r, at) &= ~((u64)1 << at % 64);
	bucket->min = WHEEL_NO_TICK;
	bucket->stale = false;
	bucket->crowded = false;
	hint_restart(bucket);
}

/**
 * ring_remove - take a timer out of its bucket
 * @r: ring
 * @t: timer
 *
 * If the bucket's minimum came from it, the bucket is stale now.
 *
 * Return: true if the bucket is empty.
 */
static inline bool ring_remove(struct wheel_ring *r, struct wheel_timer *t)
{
	struct wheel_bucket *bucket = &r->bucket[t->bucket];

	if (unlikely(ring_detach(r, bucket, t))) {
		ring_emptied(r, bucket);
		return true;
	}
	if (unlikely(t->due_tick == bucket->min))
		bucket->stale = true;
	return false;
}

#endif
