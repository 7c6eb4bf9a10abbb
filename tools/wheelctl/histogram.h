/* SPDX-License-Identifier: MIT */
/*
 * A histogram of times with a bucket for each power of two.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdio.h>

#include "wheelctl.h"

#define HISTOGRAM_BUCKETS	64

/* For those who do not know how wide the place is. */
#define HISTOGRAM_WIDTH		67

u32 histogram_bucket(u64 ns);
u64 histogram_end(u32 bucket);
u64 histogram_percentile(const u64 *buckets, u32 per_mille);
void histogram_draw(FILE *to, const u64 *buckets, u32 width);
void histogram_sum_up(const u64 *buckets);
void histogram_json(const u64 *buckets);

#endif
