/* SPDX-License-Identifier: MIT */
/*
 * Distribution of times.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BOUNDS	6

/**
 * struct histogram - number of times by their length
 * @counts: by bound: 100 us, 1 ms and so on up to 10 s; the last element counts longer ones
 * @sum: sum of all times, in microseconds
 */
struct histogram {
	uint64_t counts[HISTOGRAM_BOUNDS + 1];
	uint64_t sum;
};

static inline void histogram_add(struct histogram *h, uint64_t us)
{
	uint64_t bound = 100;
	int at = 0;

	for (; at < HISTOGRAM_BOUNDS && us > bound; at++)
		bound *= 10;
	h->counts[at]++;
	h->sum += us;
}

#endif
