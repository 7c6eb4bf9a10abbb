// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The hierarchical scheme: eleven levels of 64 buckets hold every 63-bit tick. A bucket of a
 * level spans the whole level below. The table in wheel.h lists the ranges.
 *
 * The level of a timer is that of the highest group of six bits in which its due tick and the
 * clock differ. It does not depend on the delay. Consequently no level wraps, each busy bucket
 * is ahead of the clock, and all timers of a level are due before those of the next level. The
 * first busy bucket of the first busy level contains the earliest timer.
 *
 * A pass opens that bucket at the tick of its minimum. Due timers expire, and the others cascade
 * to lower levels, relative to that tick. The clock enters the bucket when it is empty. Until
 * then, timers armed for the bucket are appended to it. The clock remains before a bucket that is
 * not due, and no wake-up is needed for a cascade.
 */
#include "core.h"

#define LEVEL(n)	((n) * (WHEEL_LEVEL_BUCKETS + WHEEL_LEVEL_BITS))

const u16 wheel_level_of_bit[64] = {
	[0 ... 5] = LEVEL(0), [6 ... 11] = LEVEL(1), [12 ... 17] = LEVEL(2),
	[18 ... 23] = LEVEL(3), [24 ... 29] = LEVEL(4), [30 ... 35] = LEVEL(5),
	[36 ... 41] = LEVEL(6), [42 ... 47] = LEVEL(7), [48 ... 53] = LEVEL(8),
	[54 ... 59] = LEVEL(9), [60 ... 63] = LEVEL(10),
};

static u32 hierarchical_buckets(u32 requested)
{
	(void)requested;
	return WHEEL_LEVELS * WHEEL_LEVEL_BUCKETS;
}

static void hierarchical_init(struct wheel_core *w)
{
	w->ring.minima = NULL;
	w->max_order = 63;
}

/* Return the first busy bucket of the first busy level, or NULL. Clear the bits of empty levels. */
static struct wheel_bucket *first_bucket(struct wheel_core *w)
{
	while (w->levels) {
		u32 level = __ffs64(w->levels);
		u64 busy = w->ring.busy[level];

		if (busy)
			return &w->ring.bucket[level * WHEEL_LEVEL_BUCKETS + __ffs64(busy)];
		w->levels &= w->levels - 1;
	}
	return NULL;
}

/* Return the first tick of a bucket that is ahead of the clock. */
static u64 bucket_start(const struct wheel_core *w, const struct wheel_bucket *bucket)
{
	u32 at = ring_at(&w->ring, bucket);
	u32 shift = at / WHEEL_LEVEL_BUCKETS * WHEEL_LEVEL_BITS;
	u64 group = (u64)(at % WHEEL_LEVEL_BUCKETS) << shift;
	u64 below = ((u64)WHEEL_LEVEL_BUCKETS << shift) - 1;

	/* There is no level above the last one. */
	return shift + WHEEL_LEVEL_BITS >= 64 ? group : (w->clock & ~below) | group;
}

/* Open a bucket to empty it: the first timer is removed repeatedly. Needs no marks in the list. */
static void open_bucket(struct wheel_core *w, struct wheel_bucket *bucket)
{
	hint_close(bucket);
	w->walk.bucket = bucket;
	wheel_walk_expire(&w->walk, &bucket->timers, &bucket->timers, bucket->min);
	w->found = false;
}

/* Close the open bucket. */
static void close_bucket(struct wheel_core *w)
{
	struct wheel_bucket *bucket = w->walk.bucket;

	hint_restart(bucket);
	if (list_empty(&bucket->timers))
		ring_emptied(&w->ring, ring_at(&w->ring, bucket));
	w->walk.bucket = NULL;
	w->walk.from = NULL;
}

/* Return the next due timer of the open bucket, and let the timers before it cascade. */
static struct wheel_timer *empty_bucket(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_bucket *bucket = w->walk.bucket;
	struct wheel_timer *due = NULL;

	while (!list_empty(&bucket->timers) && *budget) {
		struct wheel_timer *t = timer_of(bucket->timers.next);

		(*budget)--;
		hint_prefetch(t);
		timer_detach(t);
		if (t->due_tick == w->walk.tick) {
			due = t;
			break;
		}
		ring_append(w, hierarchical_at(t->due_tick, w->walk.tick), t, timer_due(t));
		w->cascaded++;
	}
	if (list_empty(&bucket->timers)) {
		close_bucket(w);
		w->clock = w->walk.tick;
	}
	return due;
}

/*
 * Open the next bucket if it is due by @until. Otherwise, end the pass and return false: the clock
 * advances to @now, but stops before the first busy bucket.
 */
static bool next_bucket(struct wheel_core *w, u64 until, u64 now)
{
	struct wheel_bucket *bucket = first_bucket(w);

	if (bucket && bucket->min <= until) {
		open_bucket(w, bucket);
		return true;
	}
	if (bucket && bucket_worth_refreshing(bucket) && bucket != w->search.refreshed) {
		wheel_walk_begin(&w->walk, bucket);
		w->search.refreshed = bucket;
		return true;
	}
	w->next = bucket ? bucket->min : WHEEL_NO_TICK;
	w->found = true;
	w->search.refreshed = NULL;
	if (bucket)
		now = min(now, bucket_start(w, bucket) - 1);
	w->clock = max(w->clock, now);
	return false;
}

struct wheel_timer *wheel_hierarchical_pop(struct wheel_core *w, u64 until, unsigned int *budget)
{
	struct wheel_timer *t = NULL;

	while (*budget && !t) {
		if (w->walk.from)
			t = empty_bucket(w, budget);
		else if (w->walk.bucket)
			wheel_walk_refresh(&w->walk, &w->ring, budget);
		/* The returned timer may be queued again for the next tick. */
		if (!w->walk.bucket && !next_bucket(w, until, t ? t->due_tick : until))
			break;
	}
	return t;
}

static void hierarchical_abandon(struct wheel_core *w)
{
	if (w->walk.from)
		close_bucket(w);
	else if (w->walk.bucket)
		wheel_walk_abandon(&w->walk, &w->ring);
}

const struct wheel_scheme wheel_hierarchical = {
	.name		= "hierarchical",
	.buckets	= hierarchical_buckets,
	.init		= hierarchical_init,
	.pop		= wheel_hierarchical_pop,
	.abandon	= hierarchical_abandon,
	.first		= wheel_ring_first,
};
