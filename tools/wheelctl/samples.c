// SPDX-License-Identifier: MIT
/*
 * A collection of times that answers with percentiles.
 */
#include "samples.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

const struct percentile shown_percentiles[PERCENTILES] = {
	{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 },
	{ "max", 1000 },
};

void samples_add(struct samples *s, u64 value)
{
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->value = memory_resized(s->value, s->room, sizeof(value));
	}
	s->value[s->count++] = value;
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a;
	const u64 *y = b;

	return (*x > *y) - (*x < *y);
}

/**
 * samples_sort - before percentiles are asked for
 * @s: samples
 */
void samples_sort(struct samples *s)
{
	if (s->count)
		qsort(s->value, s->count, sizeof(*s->value), compare);
}

/**
 * samples_percentile - the least value that so many are no greater than
 * @s: sorted samples
 * @per_mille: so many of a thousand; 0: the minimum, 1000: the maximum
 *
 * Return: nanoseconds, 0 when there are none.
 */
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
