// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rings of buckets, and walks through a bucket.
 *
 * A walk that is interrupted leaves two marks in the bucket's list:
 *
 *	bucket -> visited .. [walked] -> not visited .. [newer] -> armed since
 *
 * Timers armed while the bucket is open are due at a later tick. The walk therefore ends at the
 * second mark, regardless of their number.
 */
#include "core.h"

/* The minimum of a bucket with this many timers is not refreshed. */
#define LONG_BUCKET	256

/* Initialize a ring in memory of wheel_memory(@buckets) bytes. */
void wheel_ring_init(struct wheel_ring *r, u32 buckets, void *memory)
{
	u32 i;

	r->bucket = memory;
	r->busy = (u64 *)(r->bucket + max(buckets, MINIMA_BELOW));
	r->minima = r->busy + DIV_ROUND_UP(buckets, 64);
	r->mask = buckets - 1;
	/* A node of the minima has this many buckets below it, used or not. */
	for (i = 0; i < max(buckets, MINIMA_BELOW); i++) {
		if (i % 1024 == 0 && wheel_killed())
			return;
		INIT_LIST_HEAD(&r->bucket[i].timers);
		r->bucket[i].min = WHEEL_NO_TICK;
		r->bucket[i].state = 0;
	}
	for (i = 0; i < buckets; i += 64)
		*ring_busy(r, i) = 0;
	for (i = 0; i < minima_words(buckets); i++) {
		if (i % 1024 == 0 && wheel_killed())
			return;
		r->minima[i] = WHEEL_NO_TICK;
	}
}

/*
 * Find the first busy bucket in [@from, @to). Each word of the bitmap costs one unit of the
 * budget. Returns the number of a bucket before which none is busy: that of a busy bucket or
 * @to, unless the budget is used up.
 */
static u32 find_busy(const struct wheel_ring *r, u32 from, u32 to, unsigned int *budget)
{
	while (from < to && *budget) {
		u64 word = *ring_busy(r, from) >> from % 64;

		if (word)
			return min(from + (u32)__ffs64(word), to);
		from = (from | 63) + 1;
		(*budget)--;
	}
	return min(from, to);
}

/*
 * Return the first timer of the buckets from w->drained, and advance w->drained past empty buckets.
 * Returns NULL if all are empty or the budget is used up. No bucket may be open.
 */
struct wheel_timer *wheel_ring_first(struct wheel_core *w, unsigned int *budget)
{
	u32 buckets = w->ring.mask + 1;

	w->drained = find_busy(&w->ring, w->drained, buckets, budget);
	if (w->drained == buckets || !*budget)
		return NULL;
	return timer_of(w->ring.bucket[w->drained].timers.next);
}

/* Open a bucket that is not empty. The walk determines the bucket's minimum again. */
void wheel_walk_begin(struct wheel_walk *walk, struct wheel_bucket *bucket)
{
	walk->bucket = bucket;
	/* No timer is due at tick 0. */
	walk->tick = 0;
	walk->before = bucket->min;
	walk->seen = 0;
	bucket->min = WHEEL_NO_TICK;
	bucket->state &= ~BUCKET_STALE;
	hint_close(bucket);
	node_insert(&walk->walked, bucket->timers.next);
	node_insert(&walk->newer, &bucket->timers);
}

/*
 * Continue a walk, at most @budget timers far. Returns true if the next timer is due at the walk's
 * tick, and false at the end or if the budget is used up.
 */
bool wheel_walk_on(struct wheel_walk *walk, unsigned int *budget)
{
	struct list_head *next = walk->walked.next;
	u64 least = walk->bucket->min;
	unsigned int left = *budget;

	while (next != &walk->newer && timer_of(next)->due_tick != walk->tick) {
		hint_prefetch(timer_of(next));
		least = min(least, timer_of(next)->due_tick);
		next = next->next;
		if (!--left)
			break;
	}
	if (left == *budget)
		return next != &walk->newer;
	walk->bucket->min = least;
	walk->seen += *budget - left;
	*budget = left;
	node_remove(&walk->walked);
	node_insert(&walk->walked, next);
	return next != &walk->newer && left;
}

/* Close the bucket. */
void wheel_walk_end(struct wheel_walk *walk, struct wheel_ring *r)
{
	struct wheel_bucket *bucket = walk->bucket;

	node_remove(&walk->walked);
	node_remove(&walk->newer);
	bucket->state &= BUCKET_STALE;
	if (walk->seen >= LONG_BUCKET)
		bucket->state |= BUCKET_LONG;
	if (list_empty(&bucket->timers))
		ring_emptied(r, ring_at(r, bucket));
	walk->bucket = NULL;
	walk->from = NULL;
}

/* Close the bucket before the end of the walk. Its minimum becomes a lower bound. */
void wheel_walk_abandon(struct wheel_walk *walk, struct wheel_ring *r)
{
	walk->bucket->min = min(walk->bucket->min, walk->before);
	walk->bucket->state |= BUCKET_STALE;
	wheel_walk_end(walk, r);
}

/*
 * Continue a walk that only determines the bucket's minimum. Returns true at the end. The
 * minimum of a long bucket is not refreshed, at the cost of a wake-up with no timer due:
 * otherwise each cancellation in the bucket could cost a walk through all of it.
 */
bool wheel_walk_refresh(struct wheel_walk *walk, struct wheel_ring *r, unsigned int *budget)
{
	wheel_walk_on(walk, budget);
	if (wheel_walk_ended(walk))
		wheel_walk_end(walk, r);
	else if (walk->seen >= LONG_BUCKET)
		wheel_walk_abandon(walk, r);
	return !walk->bucket;
}
