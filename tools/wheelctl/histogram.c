// SPDX-License-Identifier: MIT
/*
 * A histogram of times with a bucket for each power of two.
 */
#include "histogram.h"

#include <stdio.h>

#include "json.h"
#include "samples.h"
#include "text.h"

/* The column before the bars. */
#define LABELS		27

#define NARROWEST_BAR	8

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

/**
 * histogram_end - the end of a bucket: all of its times are less
 * @bucket: its number
 *
 * Return: nanoseconds.
 */
u64 histogram_end(u32 bucket)
{
	return bucket < HISTOGRAM_BUCKETS - 1 ? 2ULL << bucket : NEVER;
}

/**
 * histogram_percentile - a time that so many are less than
 * @buckets: HISTOGRAM_BUCKETS of them
 * @per_mille: so many of a thousand
 *
 * Return: nanoseconds, the end of a bucket; 0: there are none.
 */
u64 histogram_percentile(const u64 *buckets, u32 per_mille)
{
	u64 total = 0;
	u64 seen = 0;
	u32 i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		total += buckets[i];
	for (i = 0; total && i < HISTOGRAM_BUCKETS; i++) {
		seen += buckets[i];
		if ((double)seen * 1000 >= (double)total * per_mille && seen)
			return histogram_end(i);
	}
	return 0;
}

/* From the eighth of a block to the whole one; none of what counts is 0 wide. */
static void draw_bar_unicode(FILE *to, u64 eighths)
{
	for (; eighths >= 8; eighths -= 8)
		fputs("\u2588", to);
	if (eighths)
		fprintf(to, "\xe2\x96%c", (char)(0x90 - eighths));
}

static void draw_bar(FILE *to, u64 value, double width)
{
	u64 i;

	if (!value)
		return;
	if (text_unicode()) {
		draw_bar_unicode(to, (u64)(width * 8) ? (u64)(width * 8) : 1);
		return;
	}
	if (width < 1)
		putc('.', to);
	for (i = 0; i < (u64)width; i++)
		putc('#', to);
}

/**
 * histogram_draw - from the first to the last bucket that is not empty
 * @to: where
 * @buckets: HISTOGRAM_BUCKETS of them
 * @width: of the lines
 */
void histogram_draw(FILE *to, const u64 *buckets, u32 width)
{
	u32 bar = width > LABELS + NARROWEST_BAR ? width - LABELS : NARROWEST_BAR;
	int first = 0;
	int last = HISTOGRAM_BUCKETS - 1;
	u64 max = 1;
	int i;

	while (last >= 0 && !buckets[last])
		last--;
	while (first < last && !buckets[first])
		first++;
	for (i = first; i <= last; i++)
		if (buckets[i] > max)
			max = buckets[i];
	for (i = first; i <= last; i++) {
		fprintf(to, "  < %9s %11s  ", text_time(histogram_end((u32)i)).s,
			text_count(buckets[i]).s);
		draw_bar(to, buckets[i], (double)buckets[i] / (double)max * bar);
		putc('\n', to);
	}
}

/**
 * histogram_sum_up - its percentiles in a line
 * @buckets: HISTOGRAM_BUCKETS of them
 */
void histogram_sum_up(const u64 *buckets)
{
	size_t i;

	for (i = 0; i < PERCENTILES; i++)
		printf("%s%s < %s", i ? ", " : "", shown_percentiles[i].name,
		       text_time(histogram_percentile(buckets, shown_percentiles[i].per_mille)).s);
	putchar('\n');
}

/**
 * histogram_json - as members of the open object
 * @buckets: HISTOGRAM_BUCKETS of them
 *
 * Of the counts "late" each is from the edge with its number up to, and not with,
 * the next one.
 */
void histogram_json(const u64 *buckets)
{
	u64 edges[HISTOGRAM_BUCKETS] = { 0 };
	size_t i;

	for (i = 1; i < HISTOGRAM_BUCKETS; i++)
		edges[i] = 1ULL << i;
	json_u64s("late", buckets, HISTOGRAM_BUCKETS);
	json_u64s("late_edges_ns", edges, HISTOGRAM_BUCKETS);
	json_open("late_below_ns", '{');
	for (i = 0; i < PERCENTILES; i++)
		json_u64(shown_percentiles[i].name,
			 histogram_percentile(buckets, shown_percentiles[i].per_mille));
	json_close('}');
}
