/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurements, and where they are kept.
 */
#ifndef _BENCH_MEASURE_H
#define _BENCH_MEASURE_H

#include "contestant.h"

enum operation {
	TOUCH, PARK, REVIVE,
	KEPT, KEPT_RUNG, KEPT_AGAIN,
	ARM_CANCEL, ARM, CANCEL, REARM, QUERY,
	EXPIRY, EXPIRY_RING, LONE, LONE_RING, LONE_USER, LONE_RING_USER,
	BYTES, BYTES_WORDS,
	OPERATIONS
};

/* 1, 16, 256, 4096: a row each. A contestant without batches is under the first. */
#define BATCHES	4

static inline __u32 batch_of(int row)
{
	return 1U << 4 * row;
}

/* The fastest of a row's rounds, the middle one, and the slowest. */
enum round { FASTEST, MIDDLE, SLOWEST, ROUNDS };

/**
 * struct figures - of a contestant at one number of timers
 * @cost: of an operation, in nanoseconds or instructions; bytes a timer; 0: it was not
 *	measured
 */
struct figures {
	double cost[OPERATIONS][BATCHES];
};

void measure(const struct contestant *contestant, __u32 count,
	     struct figures *into[ROUNDS]);

#endif
