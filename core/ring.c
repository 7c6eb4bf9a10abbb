// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Buckets in a ring, and walks through one of them.
 */
#include "ring.h"

/* A bucket with so many timers is crowded. */
#define CROWD	256

/**
 * wheel_ring_init - make all buckets empty
 * @r: ring
 * @buckets: how many
 * @memory: of wheel_memory(@buckets) bytes
 */
void wheel_ring_init(struct wheel_ring *r, u32 buckets, void *memory)
{
	u32 i;

	r->bucket = memory;
	r->busy = (u64 *)(r->bucket + max(buckets, MINIMA_BELOW));
	r->minima = r->busy + DIV_ROUND_UP(buckets, 64);
	r->mask = buckets - 1;
	/* A node of the minima has so many below it, be they in use or not. */
	for (i = 0; i < max(buckets, MINIMA_BELOW); i++) {
		INIT_LIST_HEAD(&r->bucket[i].timers);
		r->bucket[i].min = WHEEL_NO_TICK;
		r->bucket[i].state = 0;
	}
	for (i = 0; i < buckets; i += 64)
		*ring_busy(r, i) = 0;
	minima_init(r);
}

/**
 * wheel_ring_find - the first busy bucket in a part of a ring
 * @r: ring
 * @from: where to start
 * @to: where to stop
 * @budget: words of the bitmap that may be read, counted down
 *
 * Return: the bucket, which is busy; or the place before which none is, @to or,
 * with the budget used up, an earlier one.
 */
u32 wheel_ring_find(const struct wheel_ring *r, u32 from, u32 to,
		    unsigned int *budget)
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

/**
 * wheel_ring_first - the first timer in a part of a ring
 * @r: ring in which nothing is walked
 * @buckets: where to stop
 * @from: where to start; moved past what is empty
 * @budget: words of the bitmap that may be read, counted down
 *
 * Return: the timer, or NULL at the end or when the budget is used up.
 */
struct wheel_timer *wheel_ring_first(const struct wheel_ring *r, u32 buckets,
				     u32 *from, unsigned int *budget)
{
	*from = wheel_ring_find(r, *from, buckets, budget);
	if (*from == buckets || !*budget)
		return NULL;
	return timer_of(r->bucket[*from].timers.next);
}

/**
 * wheel_walk_begin - start to walk a bucket
 * @walk: walk
 * @bucket: bucket that is not empty
 * @tick: which timers to take
 *
 * The bucket's minimum is found anew on the way.
 */
void wheel_walk_begin(struct wheel_walk *walk, struct wheel_bucket *bucket, u64 tick)
{
	walk->bucket = bucket;
	walk->from = &walk->walked;
	walk->end = &walk->newer;
	walk->tick = tick;
	walk->before = bucket->min;
	walk->seen = 0;
	bucket->min = WHEEL_NO_TICK;
	bucket->state &= ~BUCKET_STALE;
	hint_close(bucket);
	list_add(&walk->walked, &bucket->timers);
	list_add_tail(&walk->newer, &bucket->timers);
}

/**
 * wheel_walk_on - go on
 * @walk: walk
 * @budget: timers that may be looked at, counted down
 *
 * Return: the next timer that is due at the walk's tick, detached; NULL at the
 * end or when the budget is used up.
 */
struct wheel_timer *wheel_walk_on(struct wheel_walk *walk, unsigned int *budget)
{
	struct list_head *at = &walk->walked;
	struct wheel_timer *due = NULL;

	while (at->next != &walk->newer && *budget) {
		struct wheel_timer *t = timer_of(at->next);

		(*budget)--;
		walk->seen++;
		hint_take(t);
		if (t->due_tick == walk->tick) {
			due = t;
			break;
		}
		walk->bucket->min = min(walk->bucket->min, t->due_tick);
		at = at->next;
	}
	if (at != &walk->walked) {
		list_del(&walk->walked);
		list_add(&walk->walked, at);
	}
	if (due)
		timer_detach(due);
	return due;
}

/**
 * wheel_walk_end - leave the bucket
 * @walk: walk that is over
 * @r: the bucket's ring
 */
void wheel_walk_end(struct wheel_walk *walk, struct wheel_ring *r)
{
	list_del(&walk->walked);
	list_del(&walk->newer);
	walk->bucket->state &= BUCKET_STALE;
	if (walk->seen >= CROWD)
		walk->bucket->state |= BUCKET_CROWDED;
	if (list_empty(&walk->bucket->timers))
		ring_emptied(r, ring_at(r, walk->bucket));
	walk->bucket = NULL;
}

/**
 * wheel_walk_abandon - leave the bucket, whatever was seen
 * @walk: walk, under way or not
 * @r: the bucket's ring
 */
void wheel_walk_abandon(struct wheel_walk *walk, struct wheel_ring *r)
{
	if (!walk->bucket)
		return;
	walk->bucket->min = min(walk->bucket->min, walk->before);
	walk->bucket->state |= BUCKET_STALE;
	wheel_walk_end(walk, r);
}

/**
 * wheel_walk_refresh - go on with a walk for the bucket's minimum alone
 * @walk: walk
 * @r: the bucket's ring
 * @budget: timers that may be looked at, counted down
 *
 * A crowded bucket is not worth it: it keeps the minimum that it had, at the price
 * of an empty wake-up. Otherwise one cancel in it would cost a pass through all
 * that it holds.
 *
 * Return: true when it is over.
 */
bool wheel_walk_refresh(struct wheel_walk *walk, struct wheel_ring *r,
			unsigned int *budget)
{
	wheel_walk_on(walk, budget);
	if (wheel_walk_over(walk))
		wheel_walk_end(walk, r);
	else if (walk->seen >= CROWD)
		wheel_walk_abandon(walk, r);
	return !walk->bucket;
}

/**
 * wheel_walk_mark - is this node a mark of a walk, and no timer's?
 * @walk: walk
 * @node: in a bucket
 *
 * Return: true if so.
 */
bool wheel_walk_mark(const struct wheel_walk *walk, const struct list_head *node)
{
	return node == &walk->walked || node == &walk->newer;
}

/* Is the timer that lags in its bucket, and no further behind than it shall be? */
static bool lag_check(const struct wheel_ring *r, u32 at)
{
	const struct wheel_bucket *bucket = &r->bucket[at];
	const struct list_head *node = bucket->timers.prev;
	unsigned long lag = bucket->state & ~BUCKET_FLAGS;
	u32 behind;

	if (lag <= HINT_CLOSED)
		return true;
	for (behind = HINT_LEAD; behind && (unsigned long)node != lag; behind--)
		node = node->prev;
	return (unsigned long)node == lag && node != &bucket->timers;
}

/**
 * wheel_bucket_check - wheel_check() of one bucket
 * @w: wheel
 * @at: number of the bucket
 * @count: timers, counted up
 *
 * Return: NULL, or what is wrong.
 */
const char *wheel_bucket_check(const struct wheel_core *w, u32 at, u64 *count)
{
	const struct wheel_bucket *bucket = &w->ring.bucket[at];
	bool busy = *ring_busy(&w->ring, at) >> at % 64 & 1;
	const struct list_head *node;
	u64 earliest = WHEEL_NO_TICK;

	for (node = bucket->timers.next; node != &bucket->timers; node = node->next) {
		const struct wheel_timer *t;

		if (wheel_walk_mark(&w->walk, node))
			continue;
		t = timer_of(node);
		if (t->bucket != at)
			return "a timer is in a bucket that is not its own";
		if (t->due_tick <= w->clock)
			return "the clock passed a timer";
		earliest = min(earliest, t->due_tick);
		++*count;
	}
	if (!lag_check(&w->ring, at))
		return "a hint would be written to a timer that is gone";
	if (w->next > bucket->min)
		return "a bucket's minimum is before the next expiry";
	if (bucket == w->walk.bucket)
		return NULL;
	if (busy == list_empty(&bucket->timers))
		return "the bitmap is wrong";
	if (bucket->state & BUCKET_STALE ? bucket->min > earliest : bucket->min != earliest)
		return "a bucket's minimum is wrong";
	if (w->found && w->next > earliest)
		return "a timer is due before the next expiry";
	return NULL;
}
