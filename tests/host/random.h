/* SPDX-License-Identifier: GPL-2.0 */
/* Reproducible random numbers from one seed, which main() prints. */
#ifndef _HOST_RANDOM_H
#define _HOST_RANDOM_H

#include "core/env.h"
#include "../splitmix64.h"

struct random {
	u64 state;
};

extern u64 random_seed;

/* Different values of @stream result in different sequences. */
static inline struct random random_start(u64 stream)
{
	return (struct random){ random_seed + (stream << 32) };
}

static inline u64 random_next(struct random *r)
{
	return splitmix64(&r->state);
}

/* Returns a number in 0 .. @limit - 1. */
static inline u64 random_below(struct random *r, u64 limit)
{
	return random_next(r) % limit;
}

static inline bool random_percent(struct random *r, unsigned int percent)
{
	return random_below(r, 100) < percent;
}

#endif
