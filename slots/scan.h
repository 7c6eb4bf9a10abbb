/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Scans, which find the timers that the program has armed. */
#ifndef _WHEEL_SLOTS_SCAN_H
#define _WHEEL_SLOTS_SCAN_H

#include "env.h"

struct wheel_slot;
struct wheel_slots;

/**
 * struct wheel_scanner - State of the scans for timers that the program has armed
 * @next_wake: location of wheel_kernel_page.next_wake, which announces @next to the program
 * @bells: pages of doorbells, one bit per slot; each page is added when first needed
 * @summary: pages of the summary, one bit per u64 of @bells
 * @next: time of the next scan; WHEEL_NEVER if only a kick starts one
 * @ahead: estimate of the time from arming to expiry of the program's timers
 * @scans: number of scans that have begun
 * @all_next: true if the next scan must read all words, because a program may have been killed
 *	before it set a bit
 * @scanning: true while a scan is in progress; the following members describe it
 * @present: last tick boundary at or before its begin
 * @all: true if it reads all words
 * @found: true if it has found an armed timer
 * @earliest: earliest deadline in the future that it has found; PASSED if another scan
 *	must follow at once
 * @at: index of the u64 of @summary to read next
 * @leaves: bits that were read from the u64 of @summary before @at and are not yet processed
 * @leaf: index of the u64 of @bells that was read last
 * @bits: bits that were read from that u64 and are not yet processed
 */
struct wheel_scanner {
	u64	*next_wake;
	u64	**bells;
	u64	**summary;
	u64	next;
	u64	ahead;
	u64	scans;
	bool	all_next;
	bool	scanning;
	bool	all;
	bool	found;
	u64	present;
	u64	earliest;
	u32	at;
	u64	leaves;
	u32	leaf;
	u64	bits;
};

/**
 * struct wheel_scan - State of a caller that begins or continues a scan
 * @number: number of the scan that must have ended: the next one, to find a bit that was set
 * @now: time of the wheel's clock
 * @cost: cost of queueing a timer; the cost of reading a word is 1
 * @budget: remaining cost under the current lock hold, counted down
 */
struct wheel_scan {
	u64	number;
	u64	now;
	u32	cost;
	u32	budget;
};

void wheel_scan_init(struct wheel_slots *slots);
void wheel_scan_stop(struct wheel_slots *slots);
u64 wheel_scan_earliest(const struct wheel_slots *slots);
void wheel_scan_now(struct wheel_slots *slots);
void wheel_scan_consumed(struct wheel_slots *slots, struct wheel_slot *slot);
bool wheel_scan_run(struct wheel_slots *slots, struct wheel_scan *scan);

#endif
