/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The wheel: a pure data structure. It takes no lock, reads no clock, allocates
 * nothing and knows no user memory; the caller serializes and passes the time.
 *
 * Time is cut into ticks of tick.ns nanoseconds, counted from the clock's zero.
 * A timer is due at the first tick boundary at or after its deadline, or at the
 * later one that its slack allows, and never at a tick that the wheel has
 * taken already:
 *
 *	due = max(ceil(deadline / tick), floor), rounded up within the slack
 *
 *	     clock           floor
 *	-------|---------------|---------------------------->  ticks
 *	 taken | being taken   | where a timer armed now may be due
 *
 * Outside a pass floor is clock + 1. A pass that goes up to a tick puts floor
 * behind that tick, so that a callback which arms in the past is served once by
 * the next pass and not once for each tick of a stall.
 *
 * The invariant: the clock enters a slot only when the slot holds nothing that
 * is due. Until then every arm that belongs to it goes to its tail. Timers that
 * are due at the same tick therefore fire in the order in which they were armed.
 *
 * The idea of wheels hashed and hierarchical is that of Varghese and Lauck,
 * "Hashed and Hierarchical Timing Wheels", 1987.
 */
#ifndef _WHEEL_H
#define _WHEEL_H

#include "wheel_env.h"
#include "include/linux/wheel_timer_types.h"

/* The end of a 63-bit nanosecond clock counts as a tick boundary. */
#define WHEEL_END_NS	(((u64)1 << 63) - 1)

/* No tick: beyond every tick of every clock. */
#define WHEEL_NO_TICK	(~(u64)0)

/**
 * struct wheel_slot - the timers of one place of a ring, in the order armed
 * @timers: their nodes
 * @min: no timer here is due earlier; exact unless @stale
 * @stale: the timer that @min came from is gone
 */
struct wheel_slot {
	struct list_head	timers;
	u64			min;
	bool			stale;
};

/**
 * struct wheel_ring - slots and which of them hold timers
 * @slot: @mask + 1 of them, a power of two
 * @busy: a bit a slot
 * @mask: turns a tick into the number of a slot
 */
struct wheel_ring {
	struct wheel_slot	*slot;
	u64			*busy;
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
 * @name: for messages
 * @init: set up the scheme's part of a wheel whose rings are empty
 * @file: put a timer where its due tick belongs
 * @unfile: take a filed timer out
 * @pop: wheel_pop()
 * @first: any filed timer, or NULL; abandons a pass that was under way
 * @forward: the wheel is empty and its clock was moved
 * @check: wheel_check() of what the scheme alone knows; counts the timers
 */
struct wheel_scheme {
	const char *name;
	void (*init)(struct wheel_core *w);
	void (*file)(struct wheel_core *w, struct wheel_timer *t);
	void (*unfile)(struct wheel_core *w, struct wheel_timer *t);
	struct wheel_timer *(*pop)(struct wheel_core *w, u64 until,
				   unsigned int *budget);
	struct wheel_timer *(*first)(struct wheel_core *w);
	void (*forward)(struct wheel_core *w);
	const char *(*check)(const struct wheel_core *w, u64 *count);
};

/**
 * struct wheel_hashed - where a hashed wheel's pass stands
 * @walked: mark in the open slot, behind the timers that were looked at
 * @newer: mark in the open slot, before those armed since it was opened
 * @open: the slot that is being walked, or NULL
 * @tick: the tick it is walked for
 * @scanned: how many slots after the clock the search for the next tick has seen
 * @refreshed: the minimum of the slot that comes next was refreshed
 */
struct wheel_hashed {
	struct list_head	walked;
	struct list_head	newer;
	struct wheel_slot	*open;
	u64			tick;
	u32			scanned;
	bool			refreshed;
};

/**
 * struct wheel_core - one wheel
 * @scheme: its kind
 * @clock: every tick up to this one has been taken
 * @floor: the first tick at which a timer armed now may be due
 * @next: no timer is due before this tick, except while a pass searches
 * @found: @next is exact, or a timer was removed while a pass was under way
 * @max_order: slack rounds to no more than 2^max_order ticks
 * @pending: how many timers are filed
 * @tick: the tick's length
 * @ring: its slots
 * @hashed: of the hashed scheme
 */
struct wheel_core {
	const struct wheel_scheme *scheme;
	u64			clock;
	u64			floor;
	u64			next;
	bool			found;
	u8			max_order;
	u64			pending;
	struct wheel_tick	tick;
	struct wheel_ring	ring;
	struct wheel_hashed	hashed;
};

extern const struct wheel_scheme wheel_hashed;

/* The hot entries of the default scheme, which are called directly. */
void wheel_hashed_file(struct wheel_core *w, struct wheel_timer *t);
void wheel_hashed_unfile(struct wheel_core *w, struct wheel_timer *t);
struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until,
				     unsigned int *budget);

size_t wheel_memory(u32 slots);
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 slots, u64 tick_ns, void *memory);

u64 wheel_tick_at(const struct wheel_core *w, u64 now);
u64 wheel_time_of(const struct wheel_core *w, u64 tick);

void wheel_place(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		 u64 slack);
void wheel_reduce(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		  u64 slack);
void wheel_remove(struct wheel_core *w, struct wheel_timer *t);
struct wheel_timer *wheel_pop(struct wheel_core *w, u64 until,
			      unsigned int *budget);
struct wheel_timer *wheel_drain(struct wheel_core *w);
void wheel_forward(struct wheel_core *w, u64 tick);
const char *wheel_check(const struct wheel_core *w);

/* For the schemes. */
void ring_append(struct wheel_ring *r, u32 at, struct wheel_timer *t);
u32 ring_find(const struct wheel_ring *r, u32 from, u32 to,
	      unsigned int *budget);

static inline bool wheel_filed(const struct wheel_timer *t)
{
	return READ_ONCE(t->slot) != WHEEL_UNFILED;
}

#endif
