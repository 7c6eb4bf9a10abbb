/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The hashed wheel for the schemes that are built on it: one ring as well, but
 * with a bound, or with a list behind it.
 */
#ifndef _WHEEL_SCHEMES_HASHED_H
#define _WHEEL_SCHEMES_HASHED_H

#include "../core/ring.h"

/* Is a walk or a search under way, so that next is no bound and clock is fixed? */
static inline bool hashed_is_busy(const struct wheel_core *w)
{
	return w->walk.bucket || w->scanned || w->refreshed;
}

static inline void hashed_file(struct wheel_core *w, struct wheel_timer *t)
{
	u32 at = (u32)t->due & w->ring.mask;
	struct wheel_group *group = ring_group(&w->ring, at);

	ring_append(&w->ring, at, t);
	group->min = min(group->min, t->due);
}

static inline void hashed_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	ring_remove(&w->ring, t);
}

u32 hashed_buckets(u32 asked);
void hashed_init(struct wheel_core *w);
void wheel_hashed_file(struct wheel_core *w, struct wheel_timer *t);
void wheel_hashed_unfile(struct wheel_core *w, struct wheel_timer *t);
struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until,
				     unsigned int *budget);
void hashed_abandon(struct wheel_core *w);
struct wheel_timer *hashed_first(struct wheel_core *w, unsigned int *budget);
const char *hashed_check(const struct wheel_core *w, u64 *count);

#endif
