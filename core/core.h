/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The parts of a timing wheel: ticks, buckets, rings and schemes. The functions that every arm
 * and every cancellation executes are inline.
 */
#ifndef _WHEEL_CORE_CORE_H
#define _WHEEL_CORE_CORE_H

#include "env.h"

/* The end of a 63-bit nanosecond clock, which counts as a tick boundary. */
#define WHEEL_END_NS	(((u64)1 << 63) - 1)

/* Greater than every tick. */
#define WHEEL_NO_TICK	(~(u64)0)

/**
 * struct wheel_bucket - Timers of one bucket, in the order in which they were queued
 * @timers: list of the timers
 * @min: lower bound of the due ticks, WHEEL_NO_TICK if empty; exact unless BUCKET_STALE
 * @state: flags, and the state of the hints in the bits above
 */
struct wheel_bucket {
	struct list_head	timers;
	u64			min;
	unsigned long		state;
};

/* The timer that determined @min was removed. */
#define BUCKET_STALE	1UL
/* The last walk found LONG_BUCKET timers or more; @min is no longer refreshed. */
#define BUCKET_LONG	2UL
#define BUCKET_FLAGS	(BUCKET_STALE | BUCKET_LONG)

/**
 * struct wheel_ring - Ring of buckets
 * @bucket: array of buckets
 * @busy: bitmap of the buckets that contain timers
 * @minima: tree of lower bounds; NULL in the hierarchical scheme
 * @mask: number of buckets, a power of two, minus 1
 */
struct wheel_ring {
	struct wheel_bucket	*bucket;
	u64			*busy;
	u64			*minima;
	u32			mask;
};

/**
 * struct wheel_tick - Length of a tick, and its reciprocal
 * @ns: length in nanoseconds
 * @mul: floor(2^(63 + @shift) / @ns) + 1
 * @shift: ceil(log2(@ns))
 */
struct wheel_tick {
	u64	ns;
	u64	mul;
	u32	shift;
};

/**
 * struct wheel_due - Due tick of a timer
 * @tick: due tick
 * @order: binary logarithm of the multiple to which the slack permits any tick to be rounded up
 */
struct wheel_due {
	u64	tick;
	u8	order;
};

struct wheel_core;

/**
 * struct wheel_scheme - Operations of one kind of wheel
 * @name: name of the scheme
 * @by_tick: true if the bucket depends only on the due tick, so that the clock may be set back
 * @max_timers: maximum number of timers, because arming is O(n); 0 for no limit
 * @buckets: return the number of buckets for a requested number; NULL if they are the same
 * @init: initialize the members of the scheme; all buckets are empty
 * @follow: advance the clock of a wheel that is not empty towards a tick; optional
 * @enqueue: queue a timer; NULL if all timers are in the ring
 * @dequeue: remove a queued timer; its place remains set; NULL if all timers are in the ring
 * @pop: implementation of wheel_pop()
 * @abandon: end the walk and the search that are in progress
 * @first: return any queued timer for wheel_drain(), or NULL
 * @forward: update the scheme after the clock of an empty wheel was advanced; optional
 */
struct wheel_scheme {
	const char *name;
	bool by_tick;
	u32 max_timers;
	u32 (*buckets)(u32 requested);
	void (*init)(struct wheel_core *w);
	void (*follow)(struct wheel_core *w, u64 tick);
	void (*enqueue)(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due);
	void (*dequeue)(struct wheel_core *w, struct wheel_timer *t);
	struct wheel_timer *(*pop)(struct wheel_core *w, u64 until, unsigned int *budget);
	void (*abandon)(struct wheel_core *w);
	struct wheel_timer *(*first)(struct wheel_core *w, unsigned int *budget);
	void (*forward)(struct wheel_core *w);
};

/**
 * struct wheel_walk - Traversal of the open bucket
 * @walked: mark in the bucket's list, after the visited timers
 * @newer: mark in the bucket's list, before the timers armed since the walk began
 * @from: node before the next timer that may be due: @walked, or the list head if the bucket is
 *	being emptied; NULL if the walk only finds the minimum, or if no bucket is open
 * @end: node at which the walk ends
 * @bucket: open bucket, or NULL
 * @tick: timers due at this tick expire
 * @before: minimum of the bucket when the walk began
 * @seen: number of visited timers
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
 * struct wheel_search - Search for the next due tick
 * @refreshed: bucket whose minimum was refreshed last
 * @steps: hashed: number of minima raised so far
 * @lost: hashed: true if the search ended with a lower bound
 */
struct wheel_search {
	struct wheel_bucket	*refreshed;
	u32			steps;
	bool			lost;
};

/**
 * struct wheel_beyond - List of the overflow scheme
 * @timers: timers sorted by due tick
 * @edge: first due tick of timers that are queued on the list
 * @next_edge: value of @edge after the transfer to the ring in progress, or 0
 */
struct wheel_beyond {
	struct list_head	timers;
	u64			edge;
	u64			next_edge;
};

/**
 * struct wheel_core - Timing wheel
 * @scheme: scheme of the wheel
 * @clock: last processed tick
 * @floor: first tick at which a timer armed now can be due
 * @latest: last such tick; less than @floor at the end of the clock
 * @next: lower bound of all due ticks and of all minima of buckets
 * @last: tick at the end of the clock
 * @span: maximum distance of a due tick from @floor
 * @own_queue: true if the scheme has operations to queue and to remove a timer
 * @found: true if @next is the result of a search and of the arms since
 * @max_order: maximum order of a rounded due tick
 * @drained: bucket at which wheel_drain() continues
 * @pending: number of queued timers
 * @cascaded: number of times a timer was moved to a lower level, or from the list to the ring
 * @tick: length of a tick
 * @ring: buckets
 * @walk: walk of the open bucket
 * @search: search for the next due tick
 * @levels: hierarchical: bitmap of the levels that may contain timers
 * @beyond: overflow: timers due after the current revolution of the ring
 */
struct wheel_core {
	const struct wheel_scheme *scheme;
	u64			clock;
	u64			floor;
	u64			latest;
	u64			next;
	u64			last;
	u64			span;
	bool			own_queue;
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

/* Ticks */

void wheel_tick_init(struct wheel_tick *tick, u64 ns);
struct wheel_due wheel_due_within(const struct wheel_core *w, u64 deadline, u64 slack);

/* Return @ns / tick->ns, see wheel_tick_init(). */
static inline u64 wheel_tick_floor(const struct wheel_tick *tick, u64 ns)
{
	return wheel_mulhi(ns << 1, tick->mul) >> tick->shift;
}

static inline u64 wheel_tick_ceil(const struct wheel_tick *tick, u64 ns)
{
	return likely(ns) ? wheel_tick_floor(tick, ns - 1) + 1 : 0;
}

/*
 * Return the last tick boundary at or before @now. The end of the clock is a boundary, so that
 * deadlines in its last, incomplete tick expire.
 */
static inline u64 wheel_tick_at(const struct wheel_core *w, u64 now)
{
	if (unlikely(now >= WHEEL_END_NS))
		return w->last;
	return wheel_tick_floor(&w->tick, now);
}

/* Return the time of a tick in nanoseconds, at most WHEEL_END_NS. */
static inline u64 wheel_time_of(const struct wheel_core *w, u64 tick)
{
	return min(tick * w->tick.ns, WHEEL_END_NS);
}

static inline void wheel_set_floor(struct wheel_core *w, u64 floor)
{
	w->floor = floor;
	w->latest = min(w->last, floor + w->span);
}

/* Ensure that no timer armed from now on is due at @tick or earlier. */
static inline void wheel_raise_floor(struct wheel_core *w, u64 tick)
{
	if (tick >= w->floor)
		wheel_set_floor(w, tick + 1);
}

/* Return the due tick of a timer without slack. */
static inline struct wheel_due wheel_due_at(const struct wheel_core *w, u64 deadline)
{
	u64 tick = wheel_tick_ceil(&w->tick, deadline);

	return (struct wheel_due){ .tick = max(tick, w->floor) };
}

/* Timers and lists */

static inline struct wheel_timer *timer_of(const struct list_head *node)
{
	return list_entry(node, struct wheel_timer, node);
}

static inline u32 timer_order(const struct wheel_timer *t)
{
	return t->place >> WHEEL_ORDER_SHIFT;
}

static inline struct wheel_due timer_due(const struct wheel_timer *t)
{
	return (struct wheel_due){ .tick = t->due_tick, .order = timer_order(t) };
}

/* Set bucket and order with one store, because the bucket is read without a lock. */
static inline void timer_set_place(struct wheel_timer *t, u32 bucket, u32 order)
{
	WRITE_ONCE(t->place, order << WHEEL_ORDER_SHIFT | bucket);
}

static inline u32 timer_bucket(const struct wheel_timer *t)
{
	return READ_ONCE(t->place) & WHEEL_UNFILED;
}

/*
 * Insert a node before @next; before the list head, it is the last node. Unlike list_add_tail()
 * and list_del(), these make no function call if CONFIG_DEBUG_LIST is set, as in timer.c.
 * Debugobjects detect a queued timer that is overwritten or freed.
 */
static inline void node_insert(struct list_head *node, struct list_head *next)
{
	struct list_head *prev = next->prev;

	/* In this order, gcc does not combine two stores in a vector register. */
	node->next = next;
	prev->next = node;
	node->prev = prev;
	next->prev = node;
}

/* Remove a node from its list. Returns true if the list is empty afterwards. */
static inline bool node_remove(struct list_head *node)
{
	struct list_head *next = node->next;
	struct list_head *prev = node->prev;

	next->prev = prev;
	prev->next = next;
	/* If both nodes are the same, they are the list head. */
	return next == prev;
}

/* Remove a timer from its list. It is no longer pending; its order remains set. */
static inline void timer_detach(struct wheel_timer *t)
{
	WRITE_ONCE(t->place, t->place | WHEEL_UNFILED);
	node_remove(&t->node);
}

/*
 * Hints
 *
 * Walking a list costs one cache miss after the other, because each node stores the address of
 * the next. In a long bucket, each timer therefore stores the distance to the timer queued 17
 * places later, which is prefetched when the first is visited. A hint is never dereferenced:
 * the other timer may have been cancelled or freed.
 *
 *	bucket -> t0 .. t62 [lagging: t63] .. t79 [tail]  <- t80 is appended
 *			     \____________hint____________/
 *
 * Each appended timer becomes the hint of the lagging timer, and the next one lags then. The
 * lagging timer is always in the bucket: if it leaves, the next one takes its place, one place
 * nearer to the tail. If no timer follows, counting restarts. A short bucket only counts.
 */

/* The lagging timer is this many places before the last one. */
#define HINT_LEAD	16

/* A bucket's state is a number of timers below HINT_FULL, or the lagging node above. */
#define HINT_ONE	(BUCKET_FLAGS + 1)
#define HINT_FULL	(80 * HINT_ONE)

/* The bucket is open: no hints are written, and timers leave it without hint_leave(). */
#define HINT_CLOSED	HINT_FULL

/* In units of 8 bytes, a hint of 32 bits reaches 16 GB in both directions. */
#define HINT_SHIFT	3

#define CACHE_LINE	64

static inline void hint_close(struct wheel_bucket *bucket)
{
	bucket->state = HINT_CLOSED | (bucket->state & BUCKET_FLAGS);
}

static inline void hint_restart(struct wheel_bucket *bucket)
{
	bucket->state &= BUCKET_FLAGS;
}

/* Prefetch the timer that a hint refers to. Most timers occupy two cache lines. */
static inline void hint_prefetch(const struct wheel_timer *t)
{
	unsigned long later = (unsigned long)t + ((unsigned long)t->hint << HINT_SHIFT);

	prefetch((void *)later);
	prefetch((void *)(later + CACHE_LINE));
}

static inline void hint_start(struct wheel_bucket *bucket, struct list_head *last)
{
	u32 i;

	for (i = 0; i < HINT_LEAD; i++)
		last = last->prev;
	bucket->state = (unsigned long)last | (bucket->state & BUCKET_FLAGS);
}

/* Update the hints after @t was appended to @bucket. */
static inline void hint_append(struct wheel_bucket *bucket, struct wheel_timer *t)
{
	unsigned long state = bucket->state;

	if (likely(state > (HINT_CLOSED | BUCKET_FLAGS))) {
		struct wheel_timer *lag = timer_of((struct list_head *)(state & ~BUCKET_FLAGS));

		bucket->state = (unsigned long)lag->node.next | (state & BUCKET_FLAGS);
		/* A distance that does not fit results in a wrong hint, which is harmless. */
		lag->hint = (s32)((long)((unsigned long)t - (unsigned long)lag) >> HINT_SHIFT);
	} else if (state < HINT_FULL - HINT_ONE) {
		bucket->state = state + HINT_ONE;
	} else if (state < HINT_FULL) {
		hint_start(bucket, &t->node);
	}
}

/*
 * Update the hints before @t is removed from @bucket. A timer that has a hint was not counted, and
 * no longer lags.
 */
static inline void hint_leave(struct wheel_bucket *bucket, const struct wheel_timer *t)
{
	unsigned long state = bucket->state;

	if (t->hint)
		return;
	if (state - HINT_ONE < HINT_FULL - HINT_ONE) {
		bucket->state = state - HINT_ONE;
	} else if (unlikely((state ^ (unsigned long)&t->node) <= BUCKET_FLAGS)) {
		hint_restart(bucket);
		if (t->node.next != &bucket->timers)
			bucket->state |= (unsigned long)t->node.next;
	}
}

/* Rings and walks */

void wheel_ring_init(struct wheel_ring *r, u32 buckets, void *memory);
struct wheel_timer *wheel_ring_first(struct wheel_core *w, unsigned int *budget);
void wheel_walk_begin(struct wheel_walk *walk, struct wheel_bucket *bucket);
bool wheel_walk_on(struct wheel_walk *walk, unsigned int *budget);
void wheel_walk_end(struct wheel_walk *walk, struct wheel_ring *r);
void wheel_walk_abandon(struct wheel_walk *walk, struct wheel_ring *r);
bool wheel_walk_refresh(struct wheel_walk *walk, struct wheel_ring *r, unsigned int *budget);

/* Let the timers between two nodes of the open bucket expire if they are due at @tick. */
static inline void wheel_walk_expire(struct wheel_walk *walk, const struct list_head *from,
				     const struct list_head *end, u64 tick)
{
	walk->from = from;
	walk->end = end;
	walk->tick = tick;
}

/* Dequeue the next timer of the walk. */
static inline struct wheel_timer *wheel_walk_dequeue(struct wheel_walk *walk)
{
	struct wheel_timer *t = timer_of(walk->from->next);

	hint_prefetch(t);
	timer_detach(t);
	return t;
}

/* Return true if all timers that were in the bucket when the walk began have been visited. */
static inline bool wheel_walk_ended(const struct wheel_walk *walk)
{
	return walk->walked.next == &walk->newer;
}

static inline bool bucket_worth_refreshing(const struct wheel_bucket *bucket)
{
	return (bucket->state & BUCKET_FLAGS) == BUCKET_STALE;
}

static inline u64 *ring_busy(const struct wheel_ring *r, u32 at)
{
	return &r->busy[at / 64];
}

static inline u32 ring_at(const struct wheel_ring *r, const struct wheel_bucket *bucket)
{
	return (u32)(bucket - r->bucket);
}

/* The hashed scheme, see hashed.c */

#define MINIMA_BITS	3
#define MINIMA_BELOW	((u32)1 << MINIMA_BITS)

void wheel_hashed_init(struct wheel_core *w);
struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until, unsigned int *budget);
void wheel_hashed_abandon(struct wheel_core *w);

/* Return the number of words of the tree of minima. */
static inline u32 minima_words(u32 buckets)
{
	return max(buckets / (MINIMA_BELOW / 2), MINIMA_BELOW);
}

/* Return the parent of a bucket in the tree of minima. */
static inline u32 minima_above(const struct wheel_ring *r, u32 at)
{
	return ((r->mask | (MINIMA_BELOW - 1)) + 1 + at) >> MINIMA_BITS;
}

/* Lower the nodes above bucket @at, whose minimum has decreased to @tick. */
static inline void minima_lower(struct wheel_ring *r, u32 at, u64 tick)
{
	u32 node;

	for (node = minima_above(r, at); node && tick < r->minima[node]; node >>= MINIMA_BITS)
		r->minima[node] = tick;
}

static inline u32 hashed_at(const struct wheel_core *w, u64 due)
{
	return (u32)due & w->ring.mask;
}

/* The hierarchical scheme, see hierarchical.c */

#define WHEEL_LEVEL_BITS	6
#define WHEEL_LEVEL_BUCKETS	64
#define WHEEL_LEVELS		11

struct wheel_timer *wheel_hierarchical_pop(struct wheel_core *w, u64 until, unsigned int *budget);

/*
 * Indexed by the highest bit in which due tick and clock differ: the number of the level's
 * first bucket, a multiple of 64, plus the position of the level's lowest bit, which is below 64.
 */
extern const u16 wheel_level_of_bit[64];

/* Return the bucket of a timer that is due after the clock. */
static inline u32 hierarchical_at(u64 due, u64 clock)
{
	u32 level = wheel_level_of_bit[__fls(due ^ clock)];
	u32 bucket = due >> level % WHEEL_LEVEL_BUCKETS & (WHEEL_LEVEL_BUCKETS - 1);

	return (level & ~(u32)(WHEEL_LEVEL_BUCKETS - 1)) + bucket;
}

/* Timers of a ring */

/* Set the minimum of bucket @at, which has decreased to @tick. */
static inline void ring_lower(struct wheel_core *w, u32 at, u64 tick)
{
	w->ring.bucket[at].min = tick;
	*ring_busy(&w->ring, at) |= (u64)1 << at % 64;
	if (tick < w->next)
		w->next = tick;
	if (w->ring.minima)
		minima_lower(&w->ring, at, tick);
	else
		w->levels |= (u32)1 << at / WHEEL_LEVEL_BUCKETS;
}

/*
 * Append a timer to bucket @at. If the bucket is empty, its minimum decreases. The next expiry is
 * at most the minimum and needs no separate check.
 */
static __always_inline void ring_append(struct wheel_core *w, u32 at, struct wheel_timer *t,
					struct wheel_due due)
{
	struct wheel_bucket *bucket = &w->ring.bucket[at];

	t->due_tick = due.tick;
	t->hint = 0;
	timer_set_place(t, at, due.order);
	node_insert(&t->node, &bucket->timers);
	hint_append(bucket, t);
	if (unlikely(due.tick < bucket->min))
		ring_lower(w, at, due.tick);
}

static inline void ring_emptied(struct wheel_ring *r, u32 at)
{
	*ring_busy(r, at) &= ~((u64)1 << at % 64);
	r->bucket[at].min = WHEEL_NO_TICK;
	/* No hints are left, and an open bucket remains closed to hints. */
	r->bucket[at].state &= ~BUCKET_FLAGS;
}

/* Invalidate the next expiry if a removed timer may have determined it. */
static inline void ring_forget(struct wheel_core *w, u64 due)
{
	if (due == w->next)
		w->found = false;
}

/* Remove a timer from its bucket. */
static __always_inline void ring_remove(struct wheel_core *w, struct wheel_timer *t)
{
	struct wheel_bucket *bucket = &w->ring.bucket[timer_bucket(t)];

	hint_leave(bucket, t);
	if (unlikely(node_remove(&t->node))) {
		ring_emptied(&w->ring, timer_bucket(t));
		ring_forget(w, t->due_tick);
	} else if (unlikely(t->due_tick == bucket->min)) {
		bucket->state |= BUCKET_STALE;
		ring_forget(w, t->due_tick);
	}
}

#endif
