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
 * A deadline may be moved while the timer is filed, without telling the wheel. What
 * counts is where it stands when the wheel takes the timer: wheel_pop() and
 * wheel_refile().
 *
 * The idea of wheels hashed and hierarchical is that of Varghese and Lauck,
 * "Hashed and Hierarchical Timing Wheels", 1987.
 */
#ifndef _WHEEL_H
#define _WHEEL_H

#include "wheel_place.h"

size_t wheel_memory(u32 slots);
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 slots, u64 tick_ns, void *memory);

u64 wheel_tick_at(const struct wheel_core *w, u64 now);
u64 wheel_time_of(const struct wheel_core *w, u64 tick);

void wheel_reduce(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		  u64 slack);
struct wheel_timer *wheel_pop(struct wheel_core *w, u64 until,
			      unsigned int *budget);
void wheel_refile(struct wheel_core *w, struct wheel_timer *t, u64 deadline);
struct wheel_timer *wheel_drain(struct wheel_core *w, unsigned int *budget);
void wheel_forward(struct wheel_core *w, u64 tick);
void wheel_set_back(struct wheel_core *w, u64 tick);
const char *wheel_check(const struct wheel_core *w);

#endif
