/* SPDX-License-Identifier: MIT */
/*
 * Distributions of times: histograms with one bucket per power of two, and percentiles.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdio.h>

#include "wheelctl.h"

#define HISTOGRAM_BUCKETS	64

/* Line width if the width of the output is unknown. */
#define HISTOGRAM_WIDTH		67

/**
 * struct percentile - a percentile that is shown
 * @name: its usual name
 * @per_mille: the percentile in thousandths
 */
struct percentile {
	const char *name;
	u32 per_mille;
};

#define PERCENTILES	5
extern const struct percentile percentiles[PERCENTILES];

/* Index of the bucket that counts a time: i for [2^i, 2^(i+1)), 0 for 0. */
u32 histogram_bucket(u64 ns);
/* Exclusive upper limit of a bucket, in nanoseconds. */
u64 histogram_end(u32 bucket);
/* Upper limit of the bucket that contains a percentile, or 0 if the histogram is empty. */
u64 histogram_percentile(const u64 *buckets, u32 per_mille);
/* Set the first and the last nonempty bucket; return the highest count. */
u64 histogram_range(const u64 *buckets, u32 *first, u32 *last);
void histogram_draw(FILE *to, const u64 *buckets, u32 width);
/* Write the percentiles on one line, each after @below and in front of a limit. */
void histogram_summary(FILE *to, const u64 *buckets, const char *below);
/* Write the counts, the limits and the percentiles as members of the open JSON object. */
void histogram_json(const u64 *buckets);

/**
 * struct samples - a list of times
 * @value: nanoseconds
 * @count: number of times
 * @room: allocated number of times
 */
struct samples {
	u64 *value;
	size_t count;
	size_t room;
};

void samples_add(struct samples *s, u64 value);
/* Sort the times, which samples_percentile() requires. */
void samples_sort(struct samples *s);
/* A percentile in nanoseconds: 0 is the minimum, 1000 the maximum. */
u64 samples_percentile(const struct samples *s, u32 per_mille);
void samples_free(struct samples *s);

#endif
