/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Scans, which find the timers that the program has armed. wheel_scanner describes their state. */
#ifndef _WHEEL_SLOTS_SCAN_H
#define _WHEEL_SLOTS_SCAN_H

#include "slots.h"

/**
 * struct wheel_scan - State of a caller that begins or continues a scan
 * @number: number of the scan that must have ended
 * @now: current time of the wheel's clock
 * @cost: cost of queueing a timer; the cost of reading a word is 1
 * @budget: remaining cost under the current lock hold, counted down
 * @present: last tick boundary at or before @now; set by wheel_scan_run()
 */
struct wheel_scan {
	u64	number;
	u64	now;
	u32	cost;
	u32	budget;
	u64	present;
};

void wheel_scan_init(struct wheel_slots *slots);
void wheel_scan_stop(struct wheel_slots *slots);
void wheel_scan_now(struct wheel_slots *slots);
bool wheel_scan_run(struct wheel_slots *slots, struct wheel_scan *scan);

/* Return the number of the next scan. The scan in progress may have passed a bit that was set. */
static inline u64 wheel_scan_next(const struct wheel_slots *slots)
{
	return slots->scanner.scans + 1;
}

#endif
