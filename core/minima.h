/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The minima of a ring: a tree whose leaves are the buckets. A node is a tick before
 * which nothing below it is due, and has eight nodes or buckets below it. In a ring of 32:
 *
 *	                root
 *	     4       5        6        7
 *	   0..7    8..15   16..23   24..31	buckets
 *
 * Nodes are numbered as in a heap that is kept in an array: what is above number n has
 * number n / 8, and the buckets' numbers follow the last node's, here from 32 on. Of the
 * numbers 1 to 7 as many are in use as the size of the ring leaves for the root.
 *
 * To file a timer lowers the nodes above that are too great for it, and mostly none is.
 * To take one out changes none: a node may be too small, until the search for the next
 * due tick comes upon it and raises it.
 */
#ifndef _WHEEL_CORE_MINIMA_H
#define _WHEEL_CORE_MINIMA_H

#include "core.h"

#define MINIMA_BITS	3
#define MINIMA_BELOW	((u32)1 << MINIMA_BITS)

void minima_init(struct wheel_ring *r);
void minima_raise(struct wheel_ring *r, u32 at);
struct wheel_bucket *minima_least(struct wheel_ring *r, u64 clock, u64 *bound);
u64 minima_bound(const struct wheel_ring *r, u32 at);

/* So many words, for any number of buckets. */
static inline u32 minima_words(u32 buckets)
{
	return max(buckets / (MINIMA_BELOW / 2), MINIMA_BELOW);
}

/* The node above a bucket. */
static inline u32 minima_above(const struct wheel_ring *r, u32 at)
{
	return ((r->mask | (MINIMA_BELOW - 1)) + 1 + at) >> MINIMA_BITS;
}

/**
 * minima_lower - a timer was filed
 * @r: ring
 * @at: number of its bucket
 * @tick: when it is due
 */
static inline void minima_lower(struct wheel_ring *r, u32 at, u64 tick)
{
	u32 node;

	for (node = minima_above(r, at); node && tick < r->minima[node]; node >>= MINIMA_BITS)
		r->minima[node] = tick;
}

#endif
