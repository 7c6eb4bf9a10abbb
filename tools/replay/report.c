// SPDX-License-Identifier: MIT
/*
 * Prints the result of a replay.
 */
#include <stdio.h>

#include "player.h"
#include "setup.h"
#include "text.h"

static const struct {
	const char *name;
	const char *guarantee;
} kinds[] = {
	[BREACH_EARLY]		= { "early",		"P1" },
	[BREACH_LOST]		= { "lost",		"P8" },
	[BREACH_DUPLICATE]	= { "duplicates",	"P3" },
	[BREACH_ORDER]		= { "misordered",	"P5" },
	[BREACH_WRONG]		= { "wrong",		"P3" },
	[BREACH_RESULT]		= { "results",		"P4" },
	[BREACH_COUNTER]	= { "counters",		"P11" },
};

static void print_count(const char *name, u64 count, const char *remark)
{
	printf("%-22s %11s%s%s\n", name, text_count(count).s, *remark ? "  " : "", remark);
}

static void print_counts(const struct player *p)
{
	const struct model *m = &p->model;
	char remark[80];

	snprintf(remark, sizeof(remark), "of %s", text_count(p->trace->count).s);
	print_count("operations", p->next, remark);
	print_count("  arms", m->armed, "of idle timers");
	print_count("  re-arms", m->rearmed, "of pending timers");
	snprintf(remark, sizeof(remark), "%s of expired timers", text_count(m->idle_cancels).s);
	print_count("  cancels", p->cancels, remark);
	print_count("fired", m->fired, "");
	snprintf(remark, sizeof(remark), "%s of them at the end",
		 text_count(m->cancelled - p->cancelled).s);
	print_count("cancelled", m->cancelled, remark);
	if (p->words) {
		print_count("exchanged", p->words->exchanged,
			    "operations by an exchange of their word");
		print_count("kicks", p->words->kicked, "notifications of the kernel");
	}
	print_count("races", m->races, "fired just before a re-arm or a cancel");
}

static void print_breach_counts(const struct breaches *b)
{
	int kind;

	putchar('\n');
	for (kind = 0; kind < BREACHES; kind++)
		printf("%s%s %s", kind ? ", " : "", kinds[kind].name,
		       text_count(b->count[kind]).s);
	putchar('\n');
}

static void print_breaches(const struct breaches *b)
{
	int kind;

	for (kind = 0; kind < BREACHES; kind++)
		if (b->count[kind])
			printf("%s (%s): %s; the first:\n  %s\n", kinds[kind].name,
			       kinds[kind].guarantee, text_count(b->count[kind]).s,
			       b->first[kind]);
}

static void print_percentiles(const char *name, const struct samples *s)
{
	size_t i;

	printf("%-22s", name);
	for (i = 0; i < PERCENTILES; i++)
		printf(" %10s", text_time(samples_percentile(s, percentiles[i].per_mille)).s);
	putchar('\n');
}

static void print_times(const struct player *p)
{
	size_t i;

	printf("\n%-22s", "");
	for (i = 0; i < PERCENTILES; i++)
		printf(" %10s", percentiles[i].name);
	putchar('\n');
	print_percentiles("late by", &p->model.late);
	print_percentiles("  if armed in time", &p->model.late_in_time);
	print_percentiles("operations late by", &p->behind);
}

static void print_verdict(const struct player *p)
{
	const struct breaches *b = &p->model.breaches;
	const char *separator = "";
	int kind;

	if (!breach_total(b)) {
		printf("replay: %s\n", p->status ? "interrupted; no guarantee broken so far" :
		       "all guarantees kept");
		return;
	}
	printf("replay: GUARANTEE BROKEN: ");
	for (kind = 0; kind < BREACHES; kind++) {
		if (!b->count[kind])
			continue;
		printf("%s%s %s", separator, kinds[kind].name, text_count(b->count[kind]).s);
		separator = ", ";
	}
	putchar('\n');
}

/* The last line contains the verdict. */
void report_print(const struct player *p)
{
	const struct wheel_setup *setup = &globals.setup;
	const struct model *m = &p->model;

	printf("%s at speed %s: %s%s\n", p->trace->path, text_speed(p->speed).s,
	       text_time(p->end - p->start).s, p->status ? ", interrupted" : "");
	printf("wheel: %s, %u buckets, tick %s, clock %s\n\n", scheme_name(setup->scheme),
	       setup->buckets, text_duration(setup->tick_ns).s, clock_name(setup->clock));
	print_counts(p);
	print_breach_counts(&m->breaches);
	print_times(p);
	if (m->fired) {
		puts("\nlate by                 events");
		histogram_draw(stdout, m->buckets, HISTOGRAM_WIDTH);
	}
	putchar('\n');
	if (breach_total(&m->breaches))
		print_breaches(&m->breaches);
	else
		printf("device = model: armed %llu = fired %llu + cancelled %llu + pending %llu\n",
		       m->armed, m->fired, m->cancelled, m->pending);
	print_verdict(p);
}

static void json_percentiles(const char *name, const struct samples *s)
{
	size_t i;

	json_open(name, '{');
	for (i = 0; i < PERCENTILES; i++)
		json_u64(percentiles[i].name, samples_percentile(s, percentiles[i].per_mille));
	json_close('}');
}

static void json_breaches(const struct breaches *b)
{
	int kind;

	for (kind = 0; kind < BREACHES; kind++)
		json_u64(kinds[kind].name, b->count[kind]);
	json_open("broken", '[');
	for (kind = 0; kind < BREACHES; kind++)
		if (b->count[kind])
			json_string(NULL, b->first[kind]);
	json_close(']');
}

void report_json(const struct player *p)
{
	const struct model *m = &p->model;

	json_open(NULL, '{');
	json_string("trace", p->trace->path);
	json_string("speed", text_speed(p->speed).s);
	json_open("wheel", '{');
	setup_json(&globals.setup);
	json_close('}');
	json_u64("elapsed_ns", p->end - p->start);
	json_bool("interrupted", p->status);
	json_u64("recorded", p->trace->count);
	json_u64("operations", p->next);
	json_u64("armed", m->armed);
	json_u64("rearmed", m->rearmed);
	json_u64("cancels", p->cancels);
	json_u64("idle_cancels", m->idle_cancels);
	json_u64("fired", m->fired);
	json_u64("cancelled", m->cancelled);
	json_u64("cancelled_at_end", m->cancelled - p->cancelled);
	if (p->words) {
		json_u64("exchanged", p->words->exchanged);
		json_u64("kicks", p->words->kicked);
	}
	json_u64("races", m->races);
	json_u64("pending", m->pending);
	json_breaches(&m->breaches);
	json_bool("kept", !breach_total(&m->breaches));
	json_percentiles("late_ns", &m->late);
	json_percentiles("late_in_time_ns", &m->late_in_time);
	json_percentiles("behind_ns", &p->behind);
	histogram_json(m->buckets);
	json_close('}');
}
