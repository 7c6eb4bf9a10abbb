// SPDX-License-Identifier: GPL-2.0
/*
 * The tables in wheel.h, computed independently of the schemes: from the bucket of each timer
 * and from arithmetic.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tests.h"

#define COLUMNS	3
#define LINE	100
#define LINES	40

static const u64 ticks[COLUMNS] = { 1000, 1000000, 100000000 };

/**
 * struct table - expected lines of wheel.h
 * @line: their text
 * @lines: number of lines
 */
struct table {
	char line[LINES][LINE];
	unsigned int lines;
};

/* The bucket of a timer on an empty wheel whose clock is at 0. */
static u32 bucket_of(const struct wheel_scheme *scheme, u64 due)
{
	u32 buckets = wheel_buckets(scheme, 64);
	void *memory = malloc(wheel_memory(buckets));
	struct wheel_timer t = { .bucket = WHEEL_UNFILED };
	struct wheel_core w;

	if (!memory)
		abort();
	wheel_init(&w, scheme, buckets, 1, memory);
	wheel_place(&w, &t, due, 0);
	free(memory);
	return t.bucket;
}

/* On the first level a bucket is a tick, until the next level begins. */
static u32 buckets_of_a_level(void)
{
	u32 due = 1;

	while (bucket_of(&wheel_hierarchical, due) == due)
		due++;
	return due;
}

static u32 level_of(u64 due)
{
	return bucket_of(&wheel_hierarchical, due) / buckets_of_a_level();
}

/* A number of which only the first digit after the point is of interest. */
static void print_time(char *text, size_t size, __uint128_t ns)
{
	static const struct {
		const char *name;
		u64 ns;
	} unit[] = {
		{ "y", 31557600000000000 }, { "d", 86400000000000 },
		{ "h", 3600000000000 }, { "min", 60000000000 },
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
	};
	size_t i = 0;

	while (ns < unit[i].ns)
		i++;
	snprintf(text, size, "%.*f %s", ns % unit[i].ns ? 1 : 0,
		 (double)ns / (double)unit[i].ns, unit[i].name);
}

/* The duration of a number of ticks, unless the clock ends before they begin. */
static void add_times(char *line, __uint128_t range, __uint128_t granularity)
{
	u32 i;

	for (i = 0; i < COLUMNS; i++) {
		size_t length = strlen(line);
		char text[20] = "-";

		if (granularity * ticks[i] < WHEEL_END_NS)
			print_time(text, sizeof(text),
				   range * ticks[i] < WHEEL_END_NS ?
				   range * ticks[i] : WHEEL_END_NS);
		snprintf(line + length, LINE - length, "%10s", text);
	}
}

static void add_level(struct table *table, u32 level, u32 bits)
{
	__uint128_t granularity = (__uint128_t)1 << (level * bits);
	__uint128_t range = granularity << bits;
	char *line = table->line[table->lines++];
	char text[2][20];

	if (level_of((u64)granularity) != level)
		ktap_fail("a level does not begin at its granularity");
	if (range < WHEEL_END_NS && level_of((u64)range - 1) != level)
		ktap_fail("a level does not end with its range");
	snprintf(text[0], sizeof(text[0]), level ? "2^%u" : "1", level * bits);
	snprintf(text[1], sizeof(text[1]), "2^%u", (level + 1) * bits);
	snprintf(line, LINE, " *\t%5u  %7u  %11s  %5s", level, 1u << bits,
		 text[0], text[1]);
	add_times(line, range, granularity);
}

static void add_levels(struct table *table)
{
	u32 buckets = buckets_of_a_level();
	u32 levels = wheel_buckets(&wheel_hierarchical, 0) / buckets;
	u32 bits = fls64(buckets) - 1;
	u32 level;

	if (level_of(WHEEL_END_NS) != levels - 1)
		ktap_fail("no timer is queued on some levels");
	for (level = 0; level < levels; level++)
		add_level(table, level, bits);
}

static void add_rings(struct table *table)
{
	u32 buckets;

	for (buckets = 256; buckets <= 1 << 20; buckets *= 16) {
		char *line = table->line[table->lines++];

		snprintf(line, LINE, " *\t%12u  %18s", buckets, "");
		add_times(line, buckets, 1);
	}
}

/* A line of a table begins with a tab and numbers. */
static bool in_table(const char *line)
{
	return !strncmp(line, " *\t ", 4) &&
	       strspn(line + 3, " 0123456789") > 12;
}

static void compare(const struct table *table, FILE *header)
{
	char line[LINE];
	u32 i = 0;

	while (fgets(line, sizeof(line), header)) {
		line[strcspn(line, "\n")] = '\0';
		if (!in_table(line))
			continue;
		if (i < table->lines && !strcmp(line, table->line[i])) {
			i++;
			continue;
		}
		printf("# %s\n", line);
		break;
	}
	if (i == table->lines && feof(header))
		return;
	for (i = 0; i < table->lines; i++)
		printf("#%s\n", table->line[i]);
	ktap_fail("wheel.h should have these lines in its tables, and no others");
}

static void geometry_as_wheel_h_says(void)
{
	struct table table = { .lines = 0 };
	FILE *header;

	add_levels(&table);
	add_rings(&table);
	header = fopen(WHEEL_H, "r");
	if (!header)
		ktap_fail("cannot read " WHEEL_H);
	compare(&table, header);
	fclose(header);
}

const struct ktap_test geometry_tests[] = {
	{ "geometry_as_wheel_h_says", geometry_as_wheel_h_says },
	{ }
};
