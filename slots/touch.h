/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Operations on timers whose deadline is a touch word.
 */
#ifndef _WHEEL_SLOTS_TOUCH_H
#define _WHEEL_SLOTS_TOUCH_H

#include "slots.h"

int wheel_touch_arm(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr,
		    u64 deadline, u64 slack);
int wheel_touch_take(struct wheel_slots *slots, struct wheel_slot *slot, u64 id);
int wheel_touch_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		      u64 word, u64 deadline, u64 slack);
int wheel_touch_cancel(struct wheel_slots *slots, struct wheel_slot *slot);
enum wheel_claim wheel_touch_claim(struct wheel_timer *timer, u64 due,
				   u64 *deadline);

#endif
