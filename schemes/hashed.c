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
 *  - the search for the next due tick, by the minima of all buckets, see core/minima.h;
 *
 *  - the refreshing of a minimum whose timer was cancelled. The search does it
 *    when such a bucket would be the answer and is not walked in this pass anyway:
 *    it walks the bucket for no tick. So a cancelled timer costs at most one empty
 *    wake-up.
 */
#include "hashed.h"

/* Slack may gather timers from so many buckets into one, and not from more. */
#define MAX_SLACK_FRACTION	16

/* To go through the minima is as dear as to look at so many timers. */
#define SEARCH_COST		4U

u32 wheel_hashed_buckets(u32 asked)
{
	return asked;
}

void wheel_hashed_init(struct wheel_core *w)
{
	u32 buckets = w->ring.mask + 1;

	w->max_order = ilog2(max(buckets / MAX_SLACK_FRACTION, (u32)1));
}

void wheel_hashed_file(struct wheel_core *w, struct wheel_timer *t, u32 order)
{
	hashed_file(w, t, order);
}

void wheel_hashed_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	hashed_unfile(w, t);
}

static void search_reset(struct wheel_search *search)
{
	search->refreshed = NULL;
	search->steps = 0;
}

/* All that was due at the walk's tick has been taken. */
static void tick_over(struct wheel_core *w)
{
	wheel_walk_end(&w->walk, &w->ring);
	w->clock = w->walk.tick;
	w->found = false;
}

/*
 * Arms and cancels that come fast enough could keep a search from its end for ever. So it
 * raises no more minima than there are, of buckets and of nodes above them.
 */
static bool search_may_step(struct wheel_core *w)
{
	return w->search.steps++ < 2 * (w->ring.mask + 1);
}

/* May the minimum of the bucket be too small, and is it worth a walk to know? */
static bool worth_refreshing(struct wheel_core *w, const struct wheel_bucket *bucket,
			     u64 until)
{
	return bucket_worth_refreshing(bucket) && bucket->min > until &&
	       bucket != w->search.refreshed && search_may_step(w);
}

/*
 * Look once for the next due tick: it is found, or a minimum proves to be too small. No state
 * is kept from one time to the next, so timers may come and go meanwhile.
 */
static void search(struct wheel_core *w, u64 until, unsigned int *budget)
{
	struct wheel_bucket *least = NULL;
	u64 bound = WHEEL_NO_TICK;

	*budget -= min(*budget, SEARCH_COST);
	if (w->pending)
		least = minima_least(&w->ring, w->clock, &bound);
	if (least && least->min > bound && search_may_step(w)) {
		minima_raise(&w->ring, ring_at(&w->ring, least));
	} else if (least && worth_refreshing(w, least, until)) {
		wheel_walk_begin(&w->walk, least, w->clock);
		w->search.refreshed = least;
	} else {
		w->next = bound;
		w->search.lost = least && (least->min > bound || least->state & BUCKET_STALE);
		w->found = true;
	}
}

static void refresh(struct wheel_core *w, unsigned int *budget)
{
	u32 at = ring_at(&w->ring, w->walk.bucket);

	if (wheel_walk_refresh(&w->walk, &w->ring, budget))
		minima_raise(&w->ring, at);
}

struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until,
				     unsigned int *budget)
{
	struct wheel_timer *t;

	while (*budget) {
		if (w->walk.bucket && w->walk.tick <= w->clock) {
			refresh(w, budget);
		} else if (w->walk.bucket) {
			t = wheel_walk_on(&w->walk, budget);
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
	search_reset(&w->search);
	if (!w->walk.bucket)
		return false;
	wheel_walk_abandon(&w->walk, &w->ring);
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

	if (minima_bound(&w->ring, at) > w->ring.bucket[at].min)
		return "a minimum of buckets is wrong";
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
