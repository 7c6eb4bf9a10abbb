// SPDX-License-Identifier: MIT
/*
 * A histogram of times with a bucket for each power of two.
 */
#include "histogram.h"

#include <stdio.h>

#include "text.h"

#define BAR_WIDTH	40

/**
 * histogram_bucket - where a time is counted, as in struct wheel_stats
 * @ns: the time
 *
 * Return: i for [2^i, 2^(i+1)); 0 for 0, too.
 */
u32 histogram_bucket(u64 ns)
{
	return ns ? 63 - (u32)__builtin_clzll(ns) : 0;
}

/* From the eighth of a block to the whole one; none of what counts is 0 wide. */
static void draw_bar_unicode(u64 eighths)
{
	for (; eighths >= 8; eighths -= 8)
		fputs("\u2588", stdout);
	if (eighths)
		printf("\xe2\x96%c", (char)(0x90 - eighths));
}

static void draw_bar(u64 value, u64 max)
{
	double share = (double)value / (double)max * BAR_WIDTH;
	u64 i;

	if (!value)
		return;
	if (text_unicode()) {
		draw_bar_unicode((u64)(share * 8) ? (u64)(share * 8) : 1);
		return;
	}
	if (share < 1)
		putchar('.');
	for (i = 0; i < (u64)share; i++)
		putchar('#');
}

/**
 * histogram_draw - from the first to the last bucket that is not empty
 * @buckets: HISTOGRAM_BUCKETS of them
 */
void histogram_draw(const u64 *buckets)
{
	int first = 0;
	int last = HISTOGRAM_BUCKETS - 1;
	u64 max = 0;
	int i;

	while (last >= 0 && !buckets[last])
		last--;
	while (first < last && !buckets[first])
		first++;
	for (i = first; i <= last; i++)
		if (buckets[i] > max)
			max = buckets[i];
	for (i = first; i <= last; i++) {
		printf("  < %9s %11s  ", text_time(i < 63 ? 2ULL << i : NEVER).s,
		       text_count(buckets[i]).s);
		draw_bar(buckets[i], max);
		putchar('\n');
	}
}
