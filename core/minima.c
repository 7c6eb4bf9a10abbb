// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The minima of a ring: to raise those that are too small, and to find the least.
 */
#include "minima.h"

/**
 * minima_init - nothing is due in any bucket
 * @r: ring
 */
void minima_init(struct wheel_ring *r)
{
	u32 words = minima_words(r->mask + 1);
	u32 node;

	for (node = 0; node < words; node++)
		r->minima[node] = WHEEL_NO_TICK;
}

static u32 earlier_node(const struct wheel_ring *r, u32 one, u32 other)
{
	return r->minima[other] < r->minima[one] ? other : one;
}

static u32 earlier_bucket(const struct wheel_ring *r, u32 one, u32 other)
{
	return r->bucket[other].min < r->bucket[one].min ? other : one;
}

/* The earliest of eight from number @n on; of pairs, since those do not wait for each other. */
static __always_inline u32
earliest(const struct wheel_ring *r, u32 n,
	 u32 (*earlier)(const struct wheel_ring *r, u32 one, u32 other))
{
	u32 one = earlier(r, earlier(r, n, n + 1), earlier(r, n + 2, n + 3));
	u32 other = earlier(r, earlier(r, n + 4, n + 5), earlier(r, n + 6, n + 7));

	return earlier(r, one, other);
}

/* The root, which is node 0, is below itself, and no earlier than any other. */
static u32 earliest_node(const struct wheel_ring *r, u32 above)
{
	return earliest(r, above << MINIMA_BITS, earlier_node);
}

/* Of those that have the node above this one in common. */
static u32 earliest_bucket(const struct wheel_ring *r, u32 at)
{
	return earliest(r, at & ~(MINIMA_BELOW - 1), earlier_bucket);
}

/**
 * minima_raise - a bucket's minimum has grown
 * @r: ring
 * @at: number of the bucket
 *
 * The nodes above it are no less than what is below them from now on.
 */
void minima_raise(struct wheel_ring *r, u32 at)
{
	u32 node = minima_above(r, at);

	r->minima[node] = r->bucket[earliest_bucket(r, at)].min;
	while ((node >>= MINIMA_BITS))
		r->minima[node] = r->minima[earliest_node(r, node)];
}

/*
 * From the node above the clock's bucket up to the first one below which something is due in
 * this revolution: that is the earliest of all, since what lies beside it is due later. What is
 * on the way is raised. Returns the earliest of the nodes below that one; or the root, if there
 * is nothing.
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

/**
 * minima_least - the bucket that holds the earliest timer
 * @r: ring
 * @clock: a tick after which all that it holds is due
 * @bound: set to a tick before which nothing in it is due
 *
 * Return: the bucket, if its minimum is @bound. If that is greater, the nodes above it
 * are too small: raise them and ask again. NULL if nothing is filed.
 */
struct wheel_bucket *minima_least(struct wheel_ring *r, u64 clock, u64 *bound)
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

/**
 * minima_bound - the greatest node above a bucket, for wheel_check()
 * @r: ring
 * @at: number of the bucket
 *
 * Return: what no timer in the bucket may be due before.
 */
u64 minima_bound(const struct wheel_ring *r, u32 at)
{
	u32 node = minima_above(r, at);
	u64 bound = 0;

	for (; node; node >>= MINIMA_BITS)
		bound = max(bound, r->minima[node]);
	return bound;
}
