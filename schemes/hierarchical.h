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
 * For the highest bit in which due tick and clock differ: the number of the level's first
 * bucket, a multiple of 64, plus the position of the level's lowest bit, which is below 64.
 */
extern const u16 wheel_level_of_bit[64];

/* The bucket of a timer that is not due at the clock's tick. */
static inline u32 hierarchical_at(u64 due, u64 clock)
{
	u32 level = wheel_level_of_bit[__fls(due ^ clock)];
	u32 bucket = due >> level % WHEEL_LEVEL_BUCKETS & (WHEEL_LEVEL_BUCKETS - 1);

	return (level & ~(u32)(WHEEL_LEVEL_BUCKETS - 1)) + bucket;
}

/* File a timer as seen from @clock, which is before its due tick. */
static inline void hierarchical_file_from(struct wheel_core *w, struct wheel_timer *t,
					  u32 order, u64 clock)
{
	u32 at = hierarchical_at(t->due_tick, clock);

	if (ring_append(w, at, t, order))
		w->levels |= (u32)1 << at / WHEEL_LEVEL_BUCKETS;
}

static inline void hierarchical_left(struct wheel_core *w, u32 level)
{
	if (!w->ring.busy[level])
		w->levels &= ~((u32)1 << level);
}

static inline void hierarchical_file(struct wheel_core *w, struct wheel_timer *t, u32 order)
{
	hierarchical_file_from(w, t, order, w->clock);
}

static inline void hierarchical_unfile(struct wheel_core *w,
				       struct wheel_timer *t)
{
	if (ring_remove(w, t))
		hierarchical_left(w, timer_bucket(t) / WHEEL_LEVEL_BUCKETS);
}

void wheel_hierarchical_file(struct wheel_core *w, struct wheel_timer *t, u32 order);
void wheel_hierarchical_unfile(struct wheel_core *w, struct wheel_timer *t);
struct wheel_timer *wheel_hierarchical_pop(struct wheel_core *w, u64 until,
					   unsigned int *budget);

#endif
