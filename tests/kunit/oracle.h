/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference model of a wheel, as simple as possible: a list sorted by due tick, then by
 * the order of arming. It uses integer division and linear search. The tests of the host use
 * it, too.
 */
#ifndef _WHEEL_KUNIT_ORACLE_H
#define _WHEEL_KUNIT_ORACLE_H

#include "core/env.h"

struct oracle_timer {
	struct oracle_timer *prev;
	struct oracle_timer *next;
	u64 due;
	bool pending;
};

/**
 * struct oracle - reference model of a wheel
 * @first: first timer of the list
 * @last: last timer of the list
 * @tick_ns: tick length in nanoseconds
 * @coarsest: slack rounds to multiples of at most this number of ticks
 * @end: the last tick
 * @span: no timer is due more than this number of ticks after the current one, which is
 *	the tick before @floor
 * @clock: last tick for which all timers have fired
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

/* Returns false without changes if the timer would be beyond the bound or the last tick. */
bool oracle_arm(struct oracle *o, struct oracle_timer *t, u64 deadline,
		u64 slack);
void oracle_cancel(struct oracle *o, struct oracle_timer *t);

/* Queue a due timer again for a later deadline, rounded up to a multiple of 2^@order. */
void oracle_requeue(struct oracle *o, struct oracle_timer *t, u64 deadline,
		    u32 order);

/* Start or continue a pass up to a tick; fire a timer; complete a pass. */
void oracle_pass(struct oracle *o, u64 until);
void oracle_fire(struct oracle *o, struct oracle_timer *t);
void oracle_reach(struct oracle *o, u64 tick);

u64 oracle_next(const struct oracle *o);
u64 oracle_pending(const struct oracle *o);

#endif
