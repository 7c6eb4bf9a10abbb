/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a wheel is made of: buckets, rings, ticks, and what tells schemes apart.
 */
#ifndef _WHEEL_CORE_CORE_H
#define _WHEEL_CORE_CORE_H

#include "env.h"
#include "../include/linux/wheel_timer_types.h"

/* The end of a 63-bit nanosecond clock counts as a tick boundary. */
#define WHEEL_END_NS	(((u64)1 << 63) - 1)

/* No tick: beyond every tick of every clock. */
#define WHEEL_NO_TICK	(~(u64)0)

/**
 * struct wheel_bucket - the timers of one place of a ring, in the order armed
 * @timers: their nodes
 * @min: no timer here is due earlier; exact unless @stale
 * @stale: the timer that @min came from is gone
 * @crowded: when it was walked last it held so many that @min is not refreshed
 * @lead: timers that it holds, or how far the one that lags is behind; see hint.h
 */
struct wheel_bucket {
	struct list_head	timers;
	u64			min;
	bool			stale;
	bool			crowded;
	u8			lead;
};

/**
 * struct wheel_group - 64 buckets
 * @busy: a bit for each that holds timers
 * @min: hashed: none of their minima is less
 */
struct wheel_group {
	u64			busy;
	u64			min;
};

/**
 * struct wheel_ring - buckets and which of them hold timers
 * @bucket: @mask + 1 of them, a power of two
 * @group: 64 buckets each
 * @lag: a bucket each, the timer that gets the next hint; see hint.h
 * @mask: turns a tick into the number of a bucket
 */
struct wheel_ring {
	struct wheel_bucket	*bucket;
	struct wheel_group	*group;
	struct list_head	**lag;
	u32			mask;
};

/**
 * struct wheel_tick - a tick's length and how to divide by it
 * @ns: nanoseconds
 * @mul: floor(2^(63 + @shift) / @ns) + 1
 * @shift: ceil(log2(@ns))
 */
struct wheel_tick {
	u64	ns;
	u64	mul;
	u32	shift;
};

struct wheel_core;

/**
 * struct wheel_scheme - what tells one kind of wheel from another
 * @name: for people
 * @by_tick: files by the due tick alone, so that the clock may be set back
 * @walks: filing a timer may look at so many others, so there are no more of them;
 *	0: it looks at none
 * @buckets: how many buckets its rings have, given how many were asked for
 * @init: set up the scheme's part of a wheel whose rings are empty
 * @follow: move the clock of a wheel that is not empty towards a tick; NULL: the
 *	scheme does not care
 * @file: put a timer where its due tick belongs
 * @unfile: take a filed timer out
 * @pop: wheel_pop()
 * @first: wheel_drain(): any filed timer, or NULL; abandons a pass under way
 * @forward: the wheel is empty and its clock was moved
 * @check: wheel_check() of what the scheme alone knows; counts the timers
 */
struct wheel_scheme {
	const char *name;
	bool by_tick;
	u32 walks;
	u32 (*buckets)(u32 asked);
	void (*init)(struct wheel_core *w);
	void (*follow)(struct wheel_core *w, u64 tick);
	void (*file)(struct wheel_core *w, struct wheel_timer *t);
	void (*unfile)(struct wheel_core *w, struct wheel_timer *t);
	struct wheel_timer *(*pop)(struct wheel_core *w, u64 until,
				   unsigned int *budget);
	struct wheel_timer *(*first)(struct wheel_core *w,
				     unsigned int *budget);
	void (*forward)(struct wheel_core *w);
	const char *(*check)(const struct wheel_core *w, u64 *count);
};

/**
 * struct wheel_walk - a walk through a bucket, which may be interrupted
 * @walked: mark in the bucket, behind the timers that were looked at
 * @newer: mark in the bucket, before those armed since the walk began
 * @bucket: the bucket, or NULL
 * @tick: what is due at this tick is taken; one that the clock has taken: none
 * @before: the bucket's minimum when the walk began
 * @seen: how many timers were looked at
 */
struct wheel_walk {
	struct list_head	walked;
	struct list_head	newer;
	struct wheel_bucket	*bucket;
	u64			tick;
	u64			before;
	u32			seen;
};

/**
 * struct wheel_core - one wheel
 * @scheme: its kind
 * @clock: every tick up to this one has been taken
 * @floor: the first tick at which a timer armed now may be due
 * @next: no timer is due before this tick, except while a pass searches
 * @found: @next is known; exactly, unless it is the minimum of a stale bucket
 * @lost: hashed: the search for @next counted on a timer that is gone
 * @last: the tick at the clock's end
 * @span: timers are due at most so many ticks after @floor; no scheme's own bound:
 *	more than the clock has
 * @max_order: slack rounds to no more than 2^max_order ticks
 * @pending: how many timers are filed
 * @moved: how often a timer was placed in a lower level
 * @tick: the tick's length
 * @ring: its buckets
 * @walk: the walk under way
 * @scanned: hashed: buckets after the clock that the search for @next has seen
 * @refreshed: the bucket whose minimum was refreshed last in this search
 * @drained: wheel_drain() found no timer in the buckets before this one
 * @opened: hierarchical: the bucket that is being emptied
 * @taken: hierarchical: the tick for which it is
 * @levels: hierarchical: a bit a level that holds timers
 * @beyond: overflow: the sorted list
 * @edge: overflow: from this tick on timers go to the list
 * @next_edge: overflow: what @edge will be when the list is drained so far; or 0
 */
struct wheel_core {
	const struct wheel_scheme *scheme;
	u64			clock;
	u64			floor;
	u64			next;
	u64			last;
	s64			span;
	bool			found;
	bool			lost;
	u8			max_order;
	u64			pending;
	u64			moved;
	struct wheel_tick	tick;
	struct wheel_ring	ring;
	struct wheel_walk	walk;
	u32			scanned;
	u32			drained;
	struct wheel_bucket	*refreshed;
	struct wheel_bucket	*opened;
	u64			taken;
	u32			levels;
	struct list_head	beyond;
	u64			edge;
	u64			next_edge;
};

extern const struct wheel_scheme wheel_hashed;
extern const struct wheel_scheme wheel_hierarchical;
extern const struct wheel_scheme wheel_bounded;
extern const struct wheel_scheme wheel_overflow;

#endif
