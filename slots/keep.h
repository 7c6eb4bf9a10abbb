/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Kept timers, which the program arms again and again without a call: the operations on
 * them, and what becomes of one that has fired.
 *
 * Such a timer rests while it is not filed and no event of it is unread. Armed it may be all
 * the same, which a look finds out: look.h.
 */
#ifndef _WHEEL_SLOTS_KEEP_H
#define _WHEEL_SLOTS_KEEP_H

#include "slots.h"

void wheel_keep_park(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr);
int wheel_keep_file(struct wheel_slot *slot, u64 deadline, u64 slack);
int wheel_keep_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		     u64 word, u64 deadline, u64 slack);
int wheel_keep_cancel(struct wheel_slots *slots, struct wheel_slot *slot);
bool wheel_keep_unfired(struct wheel_slots *slots, struct wheel_slot *slot);
void wheel_keep_ring(const struct wheel_slots *slots, u32 leaf);
void wheel_keep_over(struct wheel_slots *slots, struct wheel_slot *slot);

#endif
