// SPDX-License-Identifier: GPL-2.0
/*
 * Check the consistency of a wheel: compare what its members state with its timers, by simple
 * loops.
 */
#include "ktap.h"
#include "rig.h"

static bool is_mark(const struct wheel_core *w, const struct list_head *node)
{
	return node == &w->walk.walked || node == &w->walk.newer;
}

/* Return true if the lagging timer is among the last timers of the bucket, and has no hint. */
static bool lag_is_right(const struct wheel_bucket *bucket)
{
	const struct list_head *node = bucket->timers.prev;
	unsigned long lag = bucket->state & ~BUCKET_FLAGS;
	u32 behind;

	if (lag <= HINT_CLOSED)
		return true;
	for (behind = HINT_LEAD; behind && (unsigned long)node != lag; behind--)
		node = node->prev;
	return (unsigned long)node == lag && node != &bucket->timers && !timer_of(node)->hint;
}

/* Return true if @n timers explain the number in the state, and only the open bucket is closed. */
static bool count_is_right(const struct wheel_core *w, const struct wheel_bucket *bucket, u64 n)
{
	unsigned long state = bucket->state & ~BUCKET_FLAGS;

	return state < HINT_FULL ? state / HINT_ONE <= n :
				   state != HINT_CLOSED || bucket == w->walk.bucket;
}

/* Return the clock that determines the levels: a bucket cascades relative to the walk's tick. */
static u64 clock_of(const struct wheel_core *w, u32 level)
{
	const struct wheel_bucket *open = w->walk.bucket;

	if (open && w->walk.from && level < ring_at(&w->ring, open) / WHEEL_LEVEL_BUCKETS)
		return w->walk.tick;
	return w->clock;
}

static bool place_is_right(const struct wheel_core *w, u32 at, u64 due)
{
	u32 level = at / WHEEL_LEVEL_BUCKETS;

	if (w->scheme != &wheel_hierarchical)
		return (due & w->ring.mask) == at;
	return (fls64(due ^ clock_of(w, level)) - 1) / WHEEL_LEVEL_BITS == level &&
	       (due >> level * WHEEL_LEVEL_BITS) % WHEEL_LEVEL_BUCKETS == at % WHEEL_LEVEL_BUCKETS;
}

/* Return true if no node above bucket @at, or the bit of its level, excludes its timers. */
static bool search_finds(const struct wheel_core *w, u32 at)
{
	u32 level = at / WHEEL_LEVEL_BUCKETS;
	u64 min = w->ring.bucket[at].min;
	u32 node;

	if (w->scheme == &wheel_hierarchical)
		return !w->ring.busy[level] || w->levels >> level & 1;
	for (node = minima_above(&w->ring, at); node && min != WHEEL_NO_TICK; node >>= MINIMA_BITS)
		if (w->ring.minima[node] > min)
			return false;
	return true;
}

/* Increments @count by the number of timers. */
static const char *check_bucket(const struct wheel_core *w, u32 at, u64 *count)
{
	const struct wheel_bucket *bucket = &w->ring.bucket[at];
	bool busy = *ring_busy(&w->ring, at) >> at % 64 & 1;
	const struct list_head *node;
	u64 earliest = WHEEL_NO_TICK;
	u64 before = *count;

	for (node = bucket->timers.next; node != &bucket->timers; node = node->next) {
		const struct wheel_timer *t = timer_of(node);

		if (is_mark(w, node))
			continue;
		if (timer_bucket(t) != at)
			return "a timer records another bucket";
		if (t->due_tick <= w->clock)
			return "a timer is due before the clock";
		if (!place_is_right(w, at, t->due_tick))
			return "a timer is in the wrong bucket";
		earliest = min(earliest, t->due_tick);
		++*count;
	}
	if (!lag_is_right(bucket) || !count_is_right(w, bucket, *count - before))
		return "the state of the hints is wrong";
	if (w->next > min(bucket->min, earliest))
		return "the next expiry is after a timer, or after a bucket's minimum";
	if (!search_finds(w, at))
		return "the search cannot find a bucket";
	if (bucket == w->walk.bucket)
		return NULL;
	if (busy == list_empty(&bucket->timers))
		return "the bitmap is wrong";
	if (bucket->state & BUCKET_STALE ? bucket->min > earliest : bucket->min != earliest)
		return "a bucket's minimum is wrong";
	return NULL;
}

static const char *check_beyond(const struct wheel_core *w, u64 *count)
{
	const struct list_head *node;
	u64 last = 0;

	for (node = w->beyond.timers.next; node != &w->beyond.timers; node = node->next) {
		u64 due = timer_of(node)->due_tick;

		if (timer_bucket(timer_of(node)) <= w->ring.mask || due < w->beyond.edge)
			return "a timer on the list is due before the edge";
		if (due < last)
			return "the list is not sorted";
		if (w->found && due < w->next)
			return "a timer is due before the next expiry";
		last = due;
		++*count;
	}
	return NULL;
}

void check_wheel(const struct wheel_core *w)
{
	const char *error = NULL;
	u64 count = 0;
	u32 at;

	/* The baselines have other structures, and only the oracle checks them. */
	if (w->own_queue && w->scheme != &wheel_overflow)
		return;
	if (w->scheme == &wheel_overflow)
		error = check_beyond(w, &count);
	for (at = 0; at <= w->ring.mask && !error; at++)
		error = check_bucket(w, at, &count);
	if (!error && count != w->pending)
		error = "pending is not the number of timers";
	if (!error && w->floor <= w->clock)
		error = "a timer could be due at a processed tick";
	if (error)
		ktap_fail(error);
}
