/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The promises of a wheel, as plainly as they can be kept: a list sorted by due
 * tick and then by the order of arming. It divides with a division and
 * finds timers by a linear search.
 */
#ifndef _HOST_ORACLE_H
#define _HOST_ORACLE_H

#include "core/env.h"

struct oracle_timer {
	struct oracle_timer *prev;
	struct oracle_timer *next;
	u64 due;
	bool pending;
};

/**
 * struct oracle - reference model of a wheel
 * @first: the timer that fires next
 * @last: the one that fires last
 * @tick_ns: tick length in nanoseconds
 * @coarsest: slack rounds to multiples of at most this number of ticks
 * @end: the last tick
 * @span: no timer is due more than this number of ticks after the current one, which is
 *	the tick before @floor
 * @clock: the last tick of which all timers have fired
 * @floor: a timer armed now is due at this tick or later
 * @armed: number of arms
 * @fired: number of expiries
 * @cancelled: number of cancellations
 */
struct oracle {
	struct oracle_timer *first;
	struct oracle_timer *last;
	u64 tick_ns;
	u64 coarsest;
	u64 end;
	u64 span;
	u64 clock;
	u64 floor;
	u64 armed;
	u64 fired;
	u64 cancelled;
};

void oracle_init(struct oracle *o, u64 tick_ns);
u64 oracle_tick_at(const struct oracle *o, u64 now);

/* Returns false, and changes nothing, if no tick is late enough. */
bool oracle_arm(struct oracle *o, struct oracle_timer *t, u64 deadline,
		u64 slack);
bool oracle_reduce(struct oracle *o, struct oracle_timer *t, u64 deadline,
		   u64 slack);
void oracle_cancel(struct oracle *o, struct oracle_timer *t);

/* It was due, but is moved; its slack had let it choose multiples of 2^@order. */
void oracle_requeue(struct oracle *o, struct oracle_timer *t, u64 deadline,
		    u32 order);

/* A pass up to a tick begins or continues; the first timer fires; the pass has ended. */
void oracle_pass(struct oracle *o, u64 until);
void oracle_fire(struct oracle *o, struct oracle_timer *t);
void oracle_reach(struct oracle *o, u64 tick);

u64 oracle_next(const struct oracle *o);
u64 oracle_pending(const struct oracle *o);

#endif
