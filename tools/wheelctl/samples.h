/* SPDX-License-Identifier: MIT */
/*
 * A collection of times that answers with percentiles.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "wheelctl.h"

/**
 * struct samples - the times, every one
 * @value: nanoseconds
 * @count: how many
 * @room: how many fit
 */
struct samples {
	u64 *value;
	size_t count;
	size_t room;
};

/**
 * struct percentile - one of those that are shown
 * @name: as people know it
 * @per_mille: so many of a thousand
 */
struct percentile {
	const char *name;
	u32 per_mille;
};

#define PERCENTILES	5
extern const struct percentile shown_percentiles[PERCENTILES];

void samples_add(struct samples *s, u64 value);
void samples_sort(struct samples *s);
u64 samples_percentile(const struct samples *s, u32 per_mille);
void samples_free(struct samples *s);

#endif
