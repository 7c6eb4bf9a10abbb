// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The hashed scheme: one ring of 2^n buckets. A timer is queued in bucket due % 2^n. A bucket
 * contains timers of many revolutions; a walk compares their due ticks.
 *
 * A pass advances from due tick to due tick. If its budget is used up, it continues where it
 * stopped. One of these may be in progress:
 *
 *  - the walk of the bucket whose timers are due;
 *
 *  - the search for the next due tick, in a tree of minima;
 *
 *  - the refresh of a minimum whose timer was cancelled. If the search results in such a bucket,
 *    and the bucket is not due in this pass, it is walked without expiring timers. A cancelled
 *    timer therefore causes at most one wake-up with no timer due.
 *
 * The leaves of the tree are the buckets. A node is a lower bound of the due ticks below it, and
 * has eight nodes or buckets below it. In a ring of 32 buckets:
 *
 *	                root
 *	     4       5        6        7
 *	   0..7    8..15   16..23   24..31	buckets
 *
 * Nodes are numbered as in a heap in an array: the parent of number n has number n / 8. The
 * numbers of the buckets follow those of the nodes, here from 32. The root has 1 to 8 children.
 *
 * Queuing a timer lowers the nodes above it that are greater than its due tick, usually none.
 * Removing a timer changes none: a node that is too small is raised by the search that finds it.
 * Each bound was the due tick of a timer, and thus selects the bucket of this timer.
 *
 * The bounded scheme below is a hashed ring whose timers are due within one revolution. It is
 * the simple wheel with a maximum interval: later deadlines are rejected.
 */
#include "core.h"

/* Slack may move timers from this many buckets into one: buckets / 16. */
#define MAX_SLACK_FRACTION	16

/* One step of the search costs as much as visiting this many timers. */
#define SEARCH_COST		4U

/* The two comparisons of pairs do not depend on each other. */
static inline u64 least_of(u64 a, u64 b, u64 c, u64 d)
{
	u64 one = min(a, b), other = min(c, d);

	return min(one, other);
}

/* Return the least child of a node. Node 0, the root, is its own child, and never less. */
static u64 least_node(const struct wheel_ring *r, u32 above)
{
	const u64 *n = &r->minima[above << MINIMA_BITS];
	u64 one = least_of(n[0], n[1], n[2], n[3]);
	u64 other = least_of(n[4], n[5], n[6], n[7]);

	return min(one, other);
}

/* Return the least minimum of the buckets that share a parent with bucket @at. */
static u64 least_bucket(const struct wheel_ring *r, u32 at)
{
	const struct wheel_bucket *b = &r->bucket[at & ~(MINIMA_BELOW - 1)];
	u64 one = least_of(b[0].min, b[1].min, b[2].min, b[3].min);
	u64 other = least_of(b[4].min, b[5].min, b[6].min, b[7].min);

	return min(one, other);
}

/*
 * Raise the nodes above bucket @at as far as possible, up to a node below which a timer is due by
 * the tick @end. Returns the bound of that node, or of the root: WHEEL_NO_TICK if no timer is
 * queued.
 */
static u64 minima_raise(struct wheel_ring *r, u32 at, u64 end)
{
	u64 least = least_bucket(r, at);
	u32 node = minima_above(r, at);

	do {
		r->minima[node] = least;
		if (least <= end)
			break;
		node >>= MINIMA_BITS;
		least = least_node(r, node);
	} while (node);
	return least;
}

/*
 * Return a lower bound of all due ticks. If a timer below a node above the clock's bucket is due in
 * this revolution, the others are due later.
 */
static u64 minima_least(struct wheel_ring *r, u64 clock)
{
	return minima_raise(r, clock & r->mask, clock | r->mask);
}

void wheel_hashed_init(struct wheel_core *w)
{
	u32 buckets = w->ring.mask + 1;

	w->max_order = ilog2(max(buckets / MAX_SLACK_FRACTION, (u32)1));
}

static void search_reset(struct wheel_search *search)
{
	search->refreshed = NULL;
	search->steps = 0;
}

/*
 * Return true if the search may raise another minimum. Frequent arms and cancellations could
 * prevent its end, so it raises no more minima than there are buckets and nodes.
 */
static bool search_may_step(struct wheel_core *w)
{
	return w->search.steps++ < 2 * (w->ring.mask + 1);
}

/* Return true if a walk can increase the bucket's minimum at acceptable cost. */
static bool worth_refreshing(struct wheel_core *w, const struct wheel_bucket *bucket, u64 until)
{
	return bucket_worth_refreshing(bucket) && bucket->min > until &&
	       bucket != w->search.refreshed && search_may_step(w);
}

/*
 * Find the next due tick, or raise a minimum. Steps share only struct wheel_search: timers may be
 * armed and cancelled in between. If none is queued, the bound selects an empty bucket.
 */
static void search(struct wheel_core *w, u64 until, unsigned int *budget)
{
	u64 bound = w->pending ? minima_least(&w->ring, w->clock) : WHEEL_NO_TICK;
	u32 at = hashed_at(w, bound);
	struct wheel_bucket *least = &w->ring.bucket[at];

	*budget -= min(*budget, SEARCH_COST);
	if (least->min > bound && search_may_step(w)) {
		minima_raise(&w->ring, at, 0);
	} else if (worth_refreshing(w, least, until)) {
		wheel_walk_begin(&w->walk, least);
		w->search.refreshed = least;
	} else {
		w->next = bound;
		w->search.lost = least->min > bound || least->state & BUCKET_STALE;
		w->found = true;
	}
}

/*
 * After a timer, the pass continues up to the next due tick, so that the caller knows whether the
 * timer was the last one. The clock remains at its tick: it may be queued again for the next one.
 */
struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until, unsigned int *budget)
{
	struct wheel_timer *t = NULL;
	u32 at;

	while (*budget) {
		if (w->walk.from) {
			if (wheel_walk_on(&w->walk, budget)) {
				if (t)
					break;
				t = wheel_walk_dequeue(&w->walk);
				(*budget)--;
			} else if (wheel_walk_ended(&w->walk)) {
				wheel_walk_end(&w->walk, &w->ring);
				w->clock = w->walk.tick;
				w->found = false;
			}
		} else if (w->walk.bucket) {
			at = ring_at(&w->ring, w->walk.bucket);
			if (wheel_walk_refresh(&w->walk, &w->ring, budget))
				minima_raise(&w->ring, at, 0);
		} else if (!w->found) {
			search(w, until, budget);
		} else if (w->next > until) {
			if (!t)
				w->clock = max(w->clock, until);
			w->found = !w->search.lost;
			search_reset(&w->search);
			break;
		} else if (!t) {
			wheel_walk_begin(&w->walk, &w->ring.bucket[hashed_at(w, w->next)]);
			wheel_walk_expire(&w->walk, &w->walk.walked, &w->walk.newer, w->next);
		} else {
			break;
		}
	}
	return t;
}

void wheel_hashed_abandon(struct wheel_core *w)
{
	search_reset(&w->search);
	if (w->walk.bucket)
		wheel_walk_abandon(&w->walk, &w->ring);
}

const struct wheel_scheme wheel_hashed = {
	.name		= "hashed",
	.by_tick	= true,
	.init		= wheel_hashed_init,
	.pop		= wheel_hashed_pop,
	.abandon	= wheel_hashed_abandon,
	.first		= wheel_ring_first,
};

static void bounded_init(struct wheel_core *w)
{
	wheel_hashed_init(w);
	w->span = w->ring.mask;
}

/*
 * The bound is relative to the current time, the tick before the floor. The clock is advanced to
 * it if no timer is due before. While the clock is behind, a bucket may contain timers of two
 * revolutions. Their due ticks differ.
 */
static void bounded_follow(struct wheel_core *w, u64 tick)
{
	w->clock = max(w->clock, min(tick, w->next - 1));
}

const struct wheel_scheme wheel_bounded = {
	.name		= "bounded",
	.by_tick	= true,
	.init		= bounded_init,
	.follow		= bounded_follow,
	.pop		= wheel_hashed_pop,
	.abandon	= wheel_hashed_abandon,
	.first		= wheel_ring_first,
};
