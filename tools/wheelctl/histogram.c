// SPDX-License-Identifier: MIT
/*
 * Distributions of times: histograms with one bucket per power of two, and percentiles.
 */
#include "histogram.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "util.h"

/* Width of the columns with the limits and the counts. */
#define LABELS		27

#define NARROWEST_BAR	8

const struct percentile percentiles[PERCENTILES] = {
	{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 }, { "max", 1000 },
};

u32 histogram_bucket(u64 ns)
{
	return ns ? 63 - (u32)__builtin_clzll(ns) : 0;
}

u64 histogram_end(u32 bucket)
{
	return bucket < HISTOGRAM_BUCKETS - 1 ? 2ULL << bucket : NEVER;
}

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

u64 histogram_range(const u64 *buckets, u32 *first, u32 *last)
{
	u64 most = 0;
	u32 i;

	*first = 0;
	*last = HISTOGRAM_BUCKETS - 1;
	while (*last && !buckets[*last])
		--*last;
	while (*first < *last && !buckets[*first])
		++*first;
	for (i = *first; i <= *last; i++)
		if (buckets[i] > most)
			most = buckets[i];
	return most;
}

/* UTF-8 has blocks of an eighth of a character's width. */
static void draw_bar_unicode(FILE *to, u64 eighths)
{
	for (; eighths >= 8; eighths -= 8)
		fputs("\u2588", to);
	if (eighths)
		fprintf(to, "\xe2\x96%c", (char)(0x90 - eighths));
}

/* Nonzero values have a visible bar. */
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

void histogram_draw(FILE *to, const u64 *buckets, u32 width)
{
	u32 bar = width > LABELS + NARROWEST_BAR ? width - LABELS : NARROWEST_BAR;
	u32 first, last, i;
	u64 most = histogram_range(buckets, &first, &last);

	for (i = first; most && i <= last; i++) {
		fprintf(to, "  < %9s %11s  ", text_time(histogram_end(i)).s,
			text_count(buckets[i]).s);
		draw_bar(to, buckets[i], (double)buckets[i] / (double)most * bar);
		putc('\n', to);
	}
}

void histogram_summary(FILE *to, const u64 *buckets, const char *below)
{
	size_t i;

	for (i = 0; i < PERCENTILES; i++)
		fprintf(to, "%s%s %s %s", i ? ", " : "", percentiles[i].name, below,
			text_time(histogram_percentile(buckets, percentiles[i].per_mille)).s);
}

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
		json_u64(percentiles[i].name,
			 histogram_percentile(buckets, percentiles[i].per_mille));
	json_close('}');
}

void samples_add(struct samples *s, u64 value)
{
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->value = xreallocarray(s->value, s->room, sizeof(value));
	}
	s->value[s->count++] = value;
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a;
	const u64 *y = b;

	return (*x > *y) - (*x < *y);
}

void samples_sort(struct samples *s)
{
	if (s->count)
		qsort(s->value, s->count, sizeof(*s->value), compare);
}

u64 samples_percentile(const struct samples *s, u32 per_mille)
{
	size_t rank = (s->count * per_mille + 999) / 1000;

	if (!s->count)
		return 0;
	return s->value[rank ? rank - 1 : 0];
}

void samples_free(struct samples *s)
{
	free(s->value);
	memset(s, 0, sizeof(*s));
}
