/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The hashed wheel for the schemes that are built on it: one ring as well, but
 * with a bound, or with a list behind it.
 */
#ifndef _WHEEL_SCHEMES_HASHED_H
#define _WHEEL_SCHEMES_HASHED_H

#include "../core/ring.h"

static inline void hashed_file(struct wheel_core *w, struct wheel_timer *t, u32 order)
{
	u32 at = (u32)t->due_tick & w->ring.mask;

	if (ring_append(w, at, t, order))
		minima_lower(&w->ring, at, t->due_tick);
}

static inline void hashed_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	ring_remove(w, t);
}

u32 wheel_hashed_buckets(u32 asked);
void wheel_hashed_init(struct wheel_core *w);
void wheel_hashed_file(struct wheel_core *w, struct wheel_timer *t, u32 order);
void wheel_hashed_unfile(struct wheel_core *w, struct wheel_timer *t);
struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until,
				     unsigned int *budget);
bool wheel_hashed_abandon(struct wheel_core *w);
struct wheel_timer *wheel_hashed_first(struct wheel_core *w, unsigned int *budget);
const char *wheel_hashed_check(const struct wheel_core *w, u64 *count);

#endif
