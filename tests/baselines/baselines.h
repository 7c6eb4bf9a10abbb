/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other data structures for timers from the literature, with the interface of a
 * wheel scheme. The wheels are compared with them. They pass the tests of the
 * wheels, except that an expiry may cost more than its budget.
 */
#ifndef _BASELINES_H
#define _BASELINES_H

#include "wheel.h"

extern const struct wheel_scheme baseline_unsorted;
extern const struct wheel_scheme baseline_sorted;
extern const struct wheel_scheme baseline_heap;
extern const struct wheel_scheme baseline_4_heap;

static inline void baseline_init(struct wheel_core *w)
{
	w->max_order = (u8)ilog2(max((w->ring.mask + 1) / 16, (u32)1));
}

/* No timer is due up to @until. The next due timer is @first. */
static inline void baseline_finish_pass(struct wheel_core *w,
					const struct wheel_timer *first, u64 until)
{
	w->next = first ? first->due_tick : WHEEL_NO_TICK;
	w->found = true;
	w->clock = max(w->clock, until);
}

static inline void baseline_abandon(struct wheel_core *w)
{
	(void)w;
}

#endif
