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
 *
 * The bounded scheme below is a hashed ring whose timers are due within one revolution. It is
 * the simple wheel with a maximum interval: later deadlines are rejected.
 */
#include "core.h"

/* Slack may move timers from this many buckets into one: buckets / 16. */
#define MAX_SLACK_FRACTION	16

/* One step of the search costs as much as visiting this many timers. */
#define SEARCH_COST		4U

static u32 earlier_node(const struct wheel_ring *r, u32 one, u32 other)
{
	return r->minima[other] < r->minima[one] ? other : one;
}

static u32 earlier_bucket(const struct wheel_ring *r, u32 one, u32 other)
{
	return r->bucket[other].min < r->bucket[one].min ? other : one;
}

/* Return the earliest of eight from @n. The comparisons of pairs do not depend on each other. */
static __always_inline u32
earliest(const struct wheel_ring *r, u32 n,
	 u32 (*earlier)(const struct wheel_ring *r, u32 one, u32 other))
{
	u32 one = earlier(r, earlier(r, n, n + 1), earlier(r, n + 2, n + 3));
	u32 other = earlier(r, earlier(r, n + 4, n + 5), earlier(r, n + 6, n + 7));

	return earlier(r, one, other);
}

/* Return the earliest child of a node. Node 0, the root, is its own child, and never earlier. */
static u32 earliest_node(const struct wheel_ring *r, u32 above)
{
	return earliest(r, above << MINIMA_BITS, earlier_node);
}

/* Return the earliest of the buckets that share a parent with bucket @at. */
static u32 earliest_bucket(const struct wheel_ring *r, u32 at)
{
	return earliest(r, at & ~(MINIMA_BELOW - 1), earlier_bucket);
}

/* Raise the nodes above bucket @at, whose minimum has increased, as far as possible. */
static void minima_raise(struct wheel_ring *r, u32 at)
{
	u32 node = minima_above(r, at);

	r->minima[node] = r->bucket[earliest_bucket(r, at)].min;
	while ((node >>= MINIMA_BITS))
		r->minima[node] = r->minima[earliest_node(r, node)];
}

/*
 * Climb from the parent of the clock's bucket to the first node below which a timer is due in
 * this revolution. That timer is the earliest, because the others are due later. Raise the nodes
 * on the way. Returns the earliest child of that node, or the root if the wheel is empty.
 */
static u32 climb(struct wheel_ring *r, u32 node, u64 clock)
{
	u32 earliest;

	do {
		node >>= MINIMA_BITS;
		earliest = earliest_node(r, node);
		if (!node)
			break;
		r->minima[node] = r->minima[earliest];
	} while (r->minima[earliest] > (clock | r->mask));
	return earliest;
}

/*
 * Find the bucket with the earliest timer. @bound is set to a lower bound of all due ticks. If
 * the bucket's minimum is greater, the nodes above it are too small: raise them and retry.
 * Returns NULL if the wheel is empty.
 */
static struct wheel_bucket *minima_least(struct wheel_ring *r, u64 clock, u64 *bound)
{
	u32 at = earliest_bucket(r, (u32)clock & r->mask);
	u32 first = minima_above(r, 0);
	u32 node = minima_above(r, at);

	*bound = r->bucket[at].min;
	r->minima[node] = *bound;
	if (*bound <= (clock | r->mask))
		return &r->bucket[at];
	node = climb(r, node, clock);
	*bound = r->minima[node];
	if (!node)
		return NULL;
	while (node < first)
		node = earliest_node(r, node);
	return &r->bucket[earliest_bucket(r, (node - first) << MINIMA_BITS)];
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
 * Execute one step of the search: find the next due tick, or raise a minimum. The steps share no
 * state except struct wheel_search, so timers may be armed and cancelled between them.
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
		wheel_walk_begin(&w->walk, least);
		w->search.refreshed = least;
	} else {
		w->next = bound;
		w->search.lost = least && (least->min > bound || least->state & BUCKET_STALE);
		w->found = true;
	}
}

struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until, unsigned int *budget)
{
	struct wheel_timer *t;
	u32 at;

	while (*budget) {
		if (w->walk.from) {
			t = wheel_walk_on(&w->walk, budget);
			if (t)
				return t;
			if (wheel_walk_ended(&w->walk)) {
				wheel_walk_end(&w->walk, &w->ring);
				w->clock = w->walk.tick;
				w->found = false;
			}
		} else if (w->walk.bucket) {
			at = ring_at(&w->ring, w->walk.bucket);
			if (wheel_walk_refresh(&w->walk, &w->ring, budget))
				minima_raise(&w->ring, at);
		} else if (!w->found) {
			search(w, until, budget);
		} else if (w->next <= until) {
			wheel_walk_begin(&w->walk, &w->ring.bucket[w->next & w->ring.mask]);
			wheel_walk_expire(&w->walk, &w->walk.walked, &w->walk.newer, w->next);
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
 * it if no timer is due before, unless a pass is in progress. While the clock is behind, a bucket
 * may contain timers of two revolutions. Their due ticks differ.
 */
static void bounded_follow(struct wheel_core *w, u64 tick)
{
	if (w->walk.bucket)
		return;
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
