// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The hashed wheel: one ring of 2^n buckets, a timer goes to bucket due % 2^n. A
 * bucket holds timers of many revolutions; a walk compares their exact due ticks
 * and takes those of the tick at hand. It never counts rounds.
 *
 * A pass goes from due tick to due tick. Three things may be under way when its
 * budget ends, and go on where they stood:
 *
 *  - the walk of an open bucket, between two marks in its list:
 *
 *	bucket -> looked at .. [walked] -> to look at .. [newer] -> armed since
 *
 *    What is armed while the bucket is open is due at a later tick, so the walk
 *    ends at the second mark, however much is armed meanwhile;
 *
 *  - the search for the next due tick, in buckets after the clock. It ends at the
 *    first bucket whose minimum falls into this revolution; failing that it goes
 *    round, 64 buckets at a step where their common minimum says that none of them
 *    can be it;
 *
 *  - the refreshing of a minimum whose timer was cancelled. The search does it
 *    when such a bucket could be the answer and is not walked in this pass anyway:
 *    it walks the bucket for no tick. So a cancelled timer costs at most one empty
 *    wake-up.
 */
#include "hashed.h"

/* Slack may gather timers from so many buckets into one, and not from more. */
#define MAX_SLACK_FRACTION	16

/* To look at the minima of a group is as dear as to look at so many timers. */
#define GROUP_COST		4

u32 wheel_hashed_buckets(u32 asked)
{
	return asked;
}

void wheel_hashed_init(struct wheel_core *w)
{
	u32 buckets = w->ring.mask + 1;

	w->max_order = ilog2(max(buckets / MAX_SLACK_FRACTION, (u32)1));
}

void wheel_hashed_file(struct wheel_core *w, struct wheel_timer *t)
{
	hashed_file(w, t);
}

void wheel_hashed_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	hashed_unfile(w, t);
}

/* All that was due at the walk's tick has been taken. */
static void tick_over(struct wheel_core *w)
{
	wheel_walk_end(&w->walk, &w->ring);
	w->clock = w->walk.tick;
	w->found = false;
	w->search.refreshed = NULL;
	w->search.scanned = 0;
}

/* Find the minimum of a group anew. */
static void group_refresh(struct wheel_ring *r, u32 at)
{
	struct wheel_group *group = ring_group(r, at);
	const struct wheel_bucket *buckets = &r->bucket[at];
	u64 busy = group->busy;

	group->min = WHEEL_NO_TICK;
	for (; busy; busy &= busy - 1)
		group->min = min(group->min, buckets[__ffs64(busy)].min);
}

/*
 * Can a group that the search comes to be left out? Most can once the search has
 * seen a few, so that timers which are far away, however many, do not make it
 * long.
 */
static bool pass_group(struct wheel_core *w, u32 at, u32 to,
		       unsigned int *budget)
{
	struct wheel_group *group = ring_group(&w->ring, at);

	if (at % 64)
		return false;
	if (group->busy && group->min < w->next) {
		group_refresh(&w->ring, at);
		*budget = *budget > GROUP_COST ? *budget - GROUP_COST : 1;
	}
	if (group->busy && group->min < w->next)
		return false;
	(*budget)--;
	w->search.scanned += min((u32)64, to - at);
	return true;
}

/*
 * Look at one more busy bucket. The search is over when no later bucket can hold an
 * earlier timer than the earliest that was seen.
 *
 * A timer that is cancelled during the search may leave it with a lower bound, which
 * costs an empty wake-up. It is not started over, nor is a bucket refreshed twice:
 * who arms and cancels fast enough could keep it from its end for ever. The next
 * pass will search anew.
 */
static void search_step(struct wheel_core *w, u64 until, unsigned int *budget)
{
	u32 buckets = w->ring.mask + 1;
	u32 from = (u32)(w->clock + 1 + w->search.scanned) & w->ring.mask;
	u32 to = min(buckets, from + buckets - w->search.scanned);
	struct wheel_bucket *bucket;
	u32 at;

	if (pass_group(w, from, to, budget))
		return;
	at = wheel_ring_find(&w->ring, from, min(to, (from | 63) + 1), budget);
	w->search.scanned += at - from;
	if (at == to || at == (from | 63) + 1 || !*budget)
		return;
	(*budget)--;
	bucket = &w->ring.bucket[at];
	if (bucket->stale && !bucket->crowded && bucket->min < w->next &&
	    bucket->min > until && bucket != w->search.refreshed) {
		wheel_walk_begin(&w->walk, bucket, w->clock);
		w->search.refreshed = bucket;
		return;
	}
	w->next = min(w->next, bucket->min);
	w->search.lost |= bucket->stale;
	w->search.scanned++;
	if (w->next <= w->clock + w->search.scanned)
		w->search.scanned = buckets;
}

static void search(struct wheel_core *w, u64 until, unsigned int *budget)
{
	if (!w->search.scanned) {
		w->next = WHEEL_NO_TICK;
		w->search.lost = false;
	}
	if (!w->pending)
		w->search.scanned = w->ring.mask + 1;
	else
		search_step(w, until, budget);
	if (w->search.scanned == w->ring.mask + 1) {
		w->search.scanned = 0;
		w->found = true;
	}
}

struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until,
				     unsigned int *budget)
{
	struct wheel_timer *t;

	while (*budget) {
		if (w->walk.bucket && w->walk.tick <= w->clock) {
			wheel_walk_refresh(&w->walk, &w->ring, budget);
		} else if (w->walk.bucket) {
			t = wheel_walk_on(&w->walk, &w->ring, budget);
			if (t)
				return t;
			if (wheel_walk_over(&w->walk))
				tick_over(w);
		} else if (!w->found) {
			search(w, until, budget);
		} else if (w->next <= until) {
			wheel_walk_begin(&w->walk,
					 &w->ring.bucket[w->next & w->ring.mask],
					 w->next);
		} else {
			w->clock = max(w->clock, until);
			w->found = !w->search.lost;
			w->search.refreshed = NULL;
			return NULL;
		}
	}
	return NULL;
}

bool wheel_hashed_abandon(struct wheel_core *w)
{
	if (!hashed_is_busy(w))
		return false;
	wheel_walk_abandon(&w->walk, &w->ring);
	w->search.scanned = 0;
	w->search.refreshed = NULL;
	return true;
}

struct wheel_timer *wheel_hashed_first(struct wheel_core *w, unsigned int *budget)
{
	return wheel_ring_first(&w->ring, w->ring.mask + 1, &w->drained, budget);
}

static const char *place_check(const struct wheel_core *w, u32 at)
{
	const struct list_head *head = &w->ring.bucket[at].timers;
	const struct list_head *node;

	if (w->ring.bucket[at].min < ring_group(&w->ring, at)->min)
		return "a group's minimum is wrong";
	for (node = head->next; node != head; node = node->next) {
		if (!wheel_walk_mark(&w->walk, node) &&
		    (timer_of(node)->due_tick & w->ring.mask) != at)
			return "a timer is in a bucket that is not its own";
	}
	return NULL;
}

const char *wheel_hashed_check(const struct wheel_core *w, u64 *count)
{
	const char *error = NULL;
	u32 at;

	for (at = 0; at <= w->ring.mask && !error; at++) {
		error = wheel_bucket_check(w, at, count);
		if (!error)
			error = place_check(w, at);
	}
	return error;
}

const struct wheel_scheme wheel_hashed = {
	.name		= "hashed",
	.by_tick	= true,
	.buckets	= wheel_hashed_buckets,
	.init		= wheel_hashed_init,
	.file		= wheel_hashed_file,
	.unfile		= wheel_hashed_unfile,
	.pop		= wheel_hashed_pop,
	.abandon	= wheel_hashed_abandon,
	.first		= wheel_hashed_first,
	.check		= wheel_hashed_check,
};
