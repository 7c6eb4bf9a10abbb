/* SPDX-License-Identifier: MIT */
/*
 * A histogram of times with a bucket for each power of two.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "wheelctl.h"

#define HISTOGRAM_BUCKETS	64

u32 histogram_bucket(u64 ns);
void histogram_draw(const u64 *buckets);

#endif
