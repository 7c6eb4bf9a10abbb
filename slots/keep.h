/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Kept timers, which the program arms and cancels repeatedly without a system call: operations
 * on them, and their state after an expiry.
 *
 * A kept timer is in state WHEEL_SLOT_DISARMED while it is not queued and has no unread event.
 * It may nevertheless be armed, which only a scan detects: see scan.h.
 */
#ifndef _WHEEL_SLOTS_KEEP_H
#define _WHEEL_SLOTS_KEEP_H

#include "slots.h"

void wheel_keep_park(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr);
int wheel_keep_enqueue(struct wheel_slot *slot, u64 deadline, u64 slack);
int wheel_keep_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		     u64 word, u64 deadline, u64 slack);
int wheel_keep_cancel(struct wheel_slots *slots, struct wheel_slot *slot);
bool wheel_keep_unfired(struct wheel_slots *slots, struct wheel_slot *slot);
void wheel_keep_ring(const struct wheel_slots *slots, u32 leaf);
void wheel_keep_consumed(struct wheel_slots *slots, struct wheel_slot *slot);

#endif
