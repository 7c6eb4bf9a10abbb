/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wheels are measured by these: the other ways to hold timers of which the
 * literature speaks, behind the same interface. They promise the same, and the
 * tests of the wheels are run on them; but an expiry may cost more than a budget
 * says.
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

/* Nothing is due up to @until; @first is what will be. */
static inline void baseline_finish_pass(struct wheel_core *w,
					const struct wheel_timer *first, u64 until)
{
	w->next = first ? first->due_tick : WHEEL_NO_TICK;
	w->found = true;
	w->clock = max(w->clock, until);
}

static inline bool baseline_abandon(struct wheel_core *w)
{
	(void)w;
	return false;
}

#endif
