/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The hierarchical wheel: where a timer belongs. Inline is what each arm and each
 * cancel does.
 */
#ifndef _WHEEL_SCHEMES_HIERARCHICAL_H
#define _WHEEL_SCHEMES_HIERARCHICAL_H

#include "../core/ring.h"

#define WHEEL_LEVEL_BITS	6
#define WHEEL_LEVEL_BUCKETS	64
#define WHEEL_LEVELS		11

/*
 * Of a timer that is not due at the clock's tick. Below 64, x / WHEEL_LEVEL_BITS is
 * x * 43 >> 8, which takes half the instructions.
 */
static inline u32 hierarchical_level(u64 due, u64 clock)
{
	return (u32)__fls(due ^ clock) * 43 >> 8;
}

/* File a timer as seen from @clock, which is before its due tick. */
static inline void hierarchical_file_from(struct wheel_core *w, struct wheel_timer *t, u64 clock)
{
	u64 due = t->due_tick;
	u32 level = hierarchical_level(due, clock);
	u32 bucket = due >> (level * WHEEL_LEVEL_BITS) & (WHEEL_LEVEL_BUCKETS - 1);

	if (ring_append(&w->ring, level * WHEEL_LEVEL_BUCKETS + bucket, t))
		w->levels |= (u32)1 << level;
}

static inline void hierarchical_left(struct wheel_core *w, u32 level)
{
	if (!w->ring.busy[level])
		w->levels &= ~((u32)1 << level);
}

static inline void hierarchical_file(struct wheel_core *w, struct wheel_timer *t)
{
	hierarchical_file_from(w, t, w->clock);
}

static inline void hierarchical_unfile(struct wheel_core *w,
				       struct wheel_timer *t)
{
	u32 level = t->bucket / WHEEL_LEVEL_BUCKETS;

	if (ring_remove(&w->ring, t))
		hierarchical_left(w, level);
}

void wheel_hierarchical_file(struct wheel_core *w, struct wheel_timer *t);
void wheel_hierarchical_unfile(struct wheel_core *w, struct wheel_timer *t);
struct wheel_timer *wheel_hierarchical_pop(struct wheel_core *w, u64 until,
					   unsigned int *budget);

#endif
