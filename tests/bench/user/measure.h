/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurements and their results.
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

/* One row for each of 1, 16, 256 and 4096. Only row 0 is valid if batches are not supported. */
#define BATCHES	4

static inline __u32 batch_of(int row)
{
	return 1U << 4 * row;
}

/* The fastest, the middle and the slowest round of a row. */
enum round { FASTEST, MIDDLE, SLOWEST, ROUNDS };

/**
 * struct figures - results of an implementation for one number of timers
 * @cost: nanoseconds or instructions per operation, or bytes per timer; 0 if not measured
 */
struct figures {
	double cost[OPERATIONS][BATCHES];
};

void measure(const struct contestant *contestant, __u32 count,
	     struct figures *into[ROUNDS]);

#endif
