/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Scans, which find the kept timers that the program has armed.
 */
#ifndef _WHEEL_SLOTS_LOOK_H
#define _WHEEL_SLOTS_LOOK_H

#include "slots.h"

/**
 * struct wheel_looker - State of a caller that begins or continues a scan
 * @number: number of the scan that must have ended
 * @now: current time of the wheel's clock
 * @price: cost of queueing a timer; the cost of reading a word is 1
 * @budget: remaining cost under the current lock hold, counted down
 * @present: last tick boundary at or before @now; set by wheel_look()
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
