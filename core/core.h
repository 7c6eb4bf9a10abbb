/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The parts of a wheel: buckets, rings, ticks, and what tells schemes apart.
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
 * @min: lower bound of the due ticks; exact unless BUCKET_STALE is set
 * @state: BUCKET_STALE: the timer that @min came from was removed; BUCKET_CROWDED: the last
 *	walk found too many timers to refresh @min again; the bits above: see hint.h
 */
struct wheel_bucket {
	struct list_head	timers;
	u64			min;
	unsigned long		state;
};

#define BUCKET_STALE	1UL
#define BUCKET_CROWDED	2UL
#define BUCKET_FLAGS	(BUCKET_STALE | BUCKET_CROWDED)

/**
 * struct wheel_ring - buckets and which of them hold timers
 * @bucket: @mask + 1 of them, a power of two
 * @busy: a bit for each bucket that holds timers, 64 a word
 * @minima: hashed: a tree of them; see minima.h
 * @mask: turns a tick into the number of a bucket
 */
struct wheel_ring {
	struct wheel_bucket	*bucket;
	u64			*busy;
	u64			*minima;
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
 * @max_timers: so many timers at most, since filing one may look at all others; 0:
 *	any number
 * @buckets: how many buckets its rings have, given how many were asked for
 * @init: set up the scheme's part of a wheel whose rings are empty
 * @follow: move the clock of a wheel that is not empty towards a tick; NULL: the
 *	scheme does not care
 * @file: put a timer with this order where its due tick belongs
 * @unfile: take a filed timer out
 * @pop: wheel_pop()
 * @abandon: end what a pass has under way, so that the next one begins anew; false
 *	if there was nothing
 * @first: wheel_drain(): any filed timer, or NULL, while no pass is under way
 * @forward: the wheel is empty and its clock was moved; NULL: the scheme does not
 *	care
 * @check: wheel_check() of what the scheme alone knows; counts the timers
 */
struct wheel_scheme {
	const char *name;
	bool by_tick;
	u32 max_timers;
	u32 (*buckets)(u32 asked);
	void (*init)(struct wheel_core *w);
	void (*follow)(struct wheel_core *w, u64 tick);
	void (*file)(struct wheel_core *w, struct wheel_timer *t, u32 order);
	void (*unfile)(struct wheel_core *w, struct wheel_timer *t);
	struct wheel_timer *(*pop)(struct wheel_core *w, u64 until,
				   unsigned int *budget);
	bool (*abandon)(struct wheel_core *w);
	struct wheel_timer *(*first)(struct wheel_core *w,
				     unsigned int *budget);
	void (*forward)(struct wheel_core *w);
	const char *(*check)(const struct wheel_core *w, u64 *count);
};

/**
 * struct wheel_walk - the bucket that is open, and how far a pass has come in it
 * @walked: mark in the bucket, behind the timers that were looked at
 * @newer: mark in the bucket, before those armed since the walk began
 * @from: the next timer to look at comes behind this node; @walked, or the bucket
 *	itself where a pass empties it
 * @end: no timer from this node on is looked at
 * @bucket: the bucket, or NULL
 * @tick: timers that are due at this tick are taken. A walk that takes none has a tick
 *	that the clock has taken already
 * @before: the bucket's minimum when the walk began
 * @seen: how many timers were looked at
 */
struct wheel_walk {
	struct list_head	walked;
	struct list_head	newer;
	const struct list_head	*from;
	const struct list_head	*end;
	struct wheel_bucket	*bucket;
	u64			tick;
	u64			before;
	u32			seen;
};

/**
 * struct wheel_search - the search for the next due tick
 * @refreshed: the bucket whose minimum was refreshed last
 * @steps: hashed: how often it had to raise a minimum first
 * @lost: hashed: it ended with a minimum that may be too small
 */
struct wheel_search {
	struct wheel_bucket	*refreshed;
	u32			steps;
	bool			lost;
};

/**
 * struct wheel_beyond - the overflow wheel's list
 * @timers: sorted by due tick
 * @edge: timers that are due from this tick on go to the list
 * @next_edge: what @edge will be when the list is drained so far; or 0
 */
struct wheel_beyond {
	struct list_head	timers;
	u64			edge;
	u64			next_edge;
};

/**
 * struct wheel_core - one wheel
 * @scheme: its kind
 * @clock: every tick up to this one has been taken
 * @floor: the first tick at which a timer armed now may be due
 * @latest: the last such tick; at the clock's end there is none, and it is before @floor
 * @next: no timer is due before this tick
 * @last: the tick at the clock's end
 * @span: timers are due at most so many ticks after @floor; where the scheme has no
 *	bound of its own: as many as the clock has nanoseconds
 * @found: @next is known; exactly, unless it is the minimum of a stale bucket
 * @max_order: slack rounds to no more than 2^max_order ticks
 * @drained: wheel_drain() found no timer in the buckets before this one
 * @pending: how many timers are filed
 * @cascaded: how often a timer was placed in a lower level
 * @tick: the tick's length
 * @ring: its buckets
 * @walk: the open bucket
 * @search: the search under way
 * @levels: hierarchical: a bit a level that holds timers
 * @beyond: overflow: what its ring has no room for
 */
struct wheel_core {
	const struct wheel_scheme *scheme;
	u64			clock;
	u64			floor;
	u64			latest;
	u64			next;
	u64			last;
	u64			span;
	bool			found;
	u8			max_order;
	u32			drained;
	u64			pending;
	u64			cascaded;
	struct wheel_tick	tick;
	struct wheel_ring	ring;
	struct wheel_walk	walk;
	struct wheel_search	search;
	union {
		u32			levels;
		struct wheel_beyond	beyond;
	};
};

extern const struct wheel_scheme wheel_hashed;
extern const struct wheel_scheme wheel_hierarchical;
extern const struct wheel_scheme wheel_bounded;
extern const struct wheel_scheme wheel_overflow;

#endif
