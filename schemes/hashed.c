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
 *    first bucket whose minimum falls into this revolution. Failing that it goes round,
 *    and leaves out each group of 64 buckets of which it knows that none can be it.
 *    A ring may have many groups: at the end of the block of 64 groups that it began in
 *    it looks from the top instead, at the minima of blocks, groups and buckets;
 *
 *  - the refreshing of a minimum whose timer was cancelled. The search does it
 *    when such a bucket could be the answer and is not walked in this pass anyway:
 *    it walks the bucket for no tick. So a cancelled timer costs at most one empty
 *    wake-up.
 */
#include "hashed.h"

/* Slack may gather timers from so many buckets into one, and not from more. */
#define MAX_SLACK_FRACTION	16

/* To look at the minima of a group or a block is as dear as to look at so many timers. */
#define SCAN_COST		4U

/* For group_least(): no bucket is due in this revolution. */
#define NO_REVOLUTION		(WHEEL_NO_TICK - 64)

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

static void search_reset(struct wheel_search *search)
{
	search->refreshed = NULL;
	search->scanned = 0;
	search->steps = 0;
}

/* All that was due at the walk's tick has been taken. */
static void tick_over(struct wheel_core *w)
{
	wheel_walk_end(&w->walk, &w->ring);
	w->clock = w->walk.tick;
	w->found = false;
	search_reset(&w->search);
}

/* Leave out groups that have no timer which is due before the earliest that was seen. */
static u32 leave_out(const struct wheel_core *w, u32 at, u32 to, unsigned int *budget)
{
	while (at < to && *budget) {
		const struct wheel_group *group = ring_group(&w->ring, at);

		if (group->busy && (at % 64 || group->min < w->next))
			break;
		at = (at | 63) + 1;
		(*budget)--;
	}
	return min(at, to);
}

/*
 * The bucket with the least minimum in a part of a group whose first bucket belongs to
 * @tick in this revolution. It is found as soon as one is due in this revolution, since
 * all behind it are due later. A group that was seen whole knows its minimum.
 */
static struct wheel_bucket *group_least(struct wheel_ring *r, u32 from, u32 to,
					u64 tick)
{
	struct wheel_group *group = ring_group(r, from);
	struct wheel_bucket *least = NULL;
	u64 earliest = WHEEL_NO_TICK;
	u64 busy = group->busy >> from % 64;
	u32 at;

	for (; busy; busy &= busy - 1) {
		at = from + __ffs64(busy);
		if (at >= to)
			break;
		if (r->bucket[at].min < earliest) {
			least = &r->bucket[at];
			earliest = least->min;
		}
		if (earliest == tick + (at - from))
			return least;
	}
	if (to - from == 64)
		group->min = earliest;
	return least;
}

/* The group with the least minimum in a block, which knows its own afterwards. */
static u32 block_least(struct wheel_ring *r, u32 from)
{
	u64 *block = ring_block(r, from);
	u32 least = from;
	u32 at;

	*block = WHEEL_NO_TICK;
	for (at = from; at < from + WHEEL_BLOCK; at += 64) {
		const struct wheel_group *group = ring_group(r, at);

		if (group->busy && group->min < *block) {
			*block = group->min;
			least = at;
		}
	}
	return least;
}

/* The block with the least minimum. */
static u32 ring_least(const struct wheel_ring *r)
{
	const u64 *end = ring_block(r, r->mask) + 1;
	const u64 *least = r->block;
	u64 earliest = *least;
	const u64 *block;

	for (block = least + 1; block < end; block++) {
		if (*block < earliest) {
			earliest = *block;
			least = block;
		}
	}
	return (u32)(least - r->block) * WHEEL_BLOCK;
}

/* The timers taken last came from the least minima, which are too small now. */
static void refresh_at(struct wheel_ring *r, u32 at)
{
	group_least(r, at & ~63U, (at | 63) + 1, NO_REVOLUTION);
	block_least(r, at & ~(WHEEL_BLOCK - 1U));
}

/*
 * Arms and cancels that come fast enough could keep a search from its end for ever. So it
 * looks from the top, and refreshes buckets, no more often than this.
 */
static bool search_may_step(struct wheel_core *w)
{
	return w->search.steps++ <= w->ring.mask;
}

/* A search has found what it is asked for, or the bucket that has to be refreshed before. */
static void search_found(struct wheel_core *w, struct wheel_bucket *least, u64 until)
{
	if (least->stale && !least->crowded && least->min > until &&
	    least != w->search.refreshed && search_may_step(w)) {
		wheel_walk_begin(&w->walk, least, w->clock);
		w->search.refreshed = least;
		return;
	}
	w->next = least->min;
	w->search.lost |= least->stale;
}

/*
 * Look from the top: at the block with the least minimum, its group, and its bucket. No
 * minimum is too great. So the search is over if a timer has the least one; otherwise
 * it was too small and is greater now.
 */
static void search_minima(struct wheel_core *w, u64 until, unsigned int *budget)
{
	struct wheel_ring *r = &w->ring;
	struct wheel_bucket *least = NULL;
	u32 block, at;
	u64 bound;

	if (!w->search.steps)
		refresh_at(r, (u32)w->clock & r->mask);
	block = ring_least(r);
	bound = *ring_block(r, block);
	at = block_least(r, block);
	*budget -= min(*budget, 3 * SCAN_COST);
	if (*ring_block(r, block) == bound)
		least = group_least(r, at, at + 64, NO_REVOLUTION);
	if (least && least->min == bound) {
		search_found(w, least, until);
	} else if (bound == WHEEL_NO_TICK || !search_may_step(w)) {
		w->next = bound;
		w->search.lost |= bound != WHEEL_NO_TICK;
	} else {
		return;
	}
	if (!w->walk.bucket)
		w->search.scanned = r->mask + 1;
}

/*
 * Go round, and look at one more group. The search is over when no later one can hold an
 * earlier timer than the earliest that was seen.
 */
static void search_round(struct wheel_core *w, u64 until, unsigned int *budget)
{
	u32 buckets = w->ring.mask + 1;
	u64 tick = w->clock + 1 + w->search.scanned;
	u32 from = (u32)tick & w->ring.mask;
	u32 to = min(buckets, from + buckets - w->search.scanned);
	u32 at = leave_out(w, from, min(to, (from | (WHEEL_BLOCK - 1)) + 1), budget);
	u32 end = min(to, (at | 63) + 1);
	struct wheel_bucket *least;

	w->search.scanned += at - from;
	if (at == to || (at != from && !(at % WHEEL_BLOCK)) || !*budget)
		return;
	*budget -= min(*budget, SCAN_COST);
	least = group_least(&w->ring, at, end, tick + (at - from));
	if (least && least->min < w->next)
		search_found(w, least, until);
	if (w->walk.bucket)
		return;
	w->search.scanned += end - at;
	if (w->next <= w->clock + w->search.scanned)
		w->search.scanned = buckets;
}

/* Has the search come to the end of the block that it began in? */
static bool search_left_block(const struct wheel_core *w)
{
	return w->search.scanned && w->ring.mask >= WHEEL_BLOCK &&
	       !((w->clock + 1 + w->search.scanned) % WHEEL_BLOCK);
}

/*
 * A timer that is cancelled during the search may leave it with a lower bound, which
 * costs an empty wake-up. It is not started over: the next pass will search anew.
 */
static void search(struct wheel_core *w, u64 until, unsigned int *budget)
{
	if (!w->search.scanned) {
		w->next = WHEEL_NO_TICK;
		w->search.lost = false;
	}
	if (!w->pending)
		w->search.scanned = w->ring.mask + 1;
	else if (search_left_block(w))
		search_minima(w, until, budget);
	else
		search_round(w, until, budget);
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
			search_reset(&w->search);
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
	search_reset(&w->search);
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
	if (w->ring.bucket[at].min < *ring_block(&w->ring, at))
		return "a block's minimum is wrong";
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
