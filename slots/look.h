/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Looks: how we learn which kept timers the program has armed.
 */
#ifndef _WHEEL_SLOTS_LOOK_H
#define _WHEEL_SLOTS_LOOK_H

#include "slots.h"

/**
 * struct wheel_looker - somebody who looks, or helps others with their look
 * @number: of the look that shall be done
 * @now: the clock
 * @price: of filing a timer, where to look at one costs 1
 * @budget: what may be spent under this lock hold, counted down
 * @present: the last tick boundary that is not after @now; set by wheel_look()
 */
struct wheel_looker {
	u64	number;
	u64	now;
	u32	price;
	u32	budget;
	u64	present;
};

void wheel_look_init(struct wheel_slots *slots);
void wheel_look_stop(struct wheel_slots *slots);
void wheel_look_at_once(struct wheel_slots *slots);
void wheel_look_at_all(struct wheel_slots *slots);
u64 wheel_look_under_way(const struct wheel_slots *slots);
u64 wheel_look_next(const struct wheel_slots *slots);
bool wheel_look(struct wheel_slots *slots, struct wheel_looker *looker);

#endif
