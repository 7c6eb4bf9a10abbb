// SPDX-License-Identifier: MIT
/*
 * The result of a replay.
 */
#include "report.h"

#include <stdio.h>

#include "json.h"
#include "parse.h"
#include "setup.h"
#include "text.h"

static void print_count(const char *name, u64 count, const char *remark)
{
	printf("%-22s %11s%s%s\n", name, text_count(count).s,
	       *remark ? "  " : "", remark);
}

static void print_counts(const struct player *p)
{
	const struct ledger *l = &p->ledger;
	char remark[80];

	snprintf(remark, sizeof(remark), "of %s",
		 text_count(p->trace->count).s);
	print_count("operations", p->next, remark);
	print_count("  arms", l->armed, "of idle timers");
	print_count("  re-arms", l->rearmed, "of pending timers");
	snprintf(remark, sizeof(remark), "%s came after their timer had fired",
		 text_count(l->idle_cancels).s);
	print_count("  cancels", p->cancels, remark);
	print_count("fired", l->fired, "");
	snprintf(remark, sizeof(remark), "%s of them at the end",
		 text_count(l->cancelled - p->cancelled).s);
	print_count("cancelled", l->cancelled, remark);
	if (p->words) {
		print_count("touched", p->words->touched,
			    "moved or cancelled without a call");
		print_count("revived", p->words->revived, "armed without a call");
	}
	print_count("races", l->races, "fired while we re-armed or cancelled");
}

static void print_verdicts(const struct player *p)
{
	int kind;

	putchar('\n');
	for (kind = 0; kind < BREACHES; kind++)
		printf("%s%s %s", kind ? ", " : "", breach_name(kind),
		       text_count(p->ledger.breaches.count[kind]).s);
	putchar('\n');
}

static void print_percentiles(const char *name, const struct samples *s)
{
	size_t i;

	printf("%-22s", name);
	for (i = 0; i < PERCENTILES; i++)
		printf(" %10s",
		       text_time(samples_percentile(s,
						    shown_percentiles[i].per_mille)).s);
	putchar('\n');
}

static void print_times(const struct player *p)
{
	size_t i;

	printf("\n%-22s", "");
	for (i = 0; i < PERCENTILES; i++)
		printf(" %10s", shown_percentiles[i].name);
	putchar('\n');
	print_percentiles("late by", &p->ledger.late);
	print_percentiles("  those asked in time", &p->ledger.late_in_time);
	print_percentiles("operations behind by", &p->behind);
}

static void print_last_line(const struct player *p)
{
	const struct breaches *b = &p->ledger.breaches;
	const char *separator = "";
	int kind;

	if (!breach_total(b)) {
		printf("replay: all promises kept%s\n",
		       p->status ? ", as far as it came" : "");
		return;
	}
	printf("replay: PROMISE BROKEN: ");
	for (kind = 0; kind < BREACHES; kind++) {
		if (!b->count[kind])
			continue;
		printf("%s%s %s", separator, breach_name(kind),
		       text_count(b->count[kind]).s);
		separator = ", ";
	}
	putchar('\n');
}

/**
 * report_print - for people; the last line says it all
 * @p: after player_run()
 */
void report_print(const struct player *p)
{
	const struct wheel_setup *setup = &globals.setup;

	printf("%s at speed %s: %s%s\n", p->trace->path,
	       text_speed(p->speed).s, text_time(p->end - p->start).s,
	       p->status ? ", interrupted" : "");
	printf("wheel: %s, %u buckets, tick %s, clock %s\n\n",
	       scheme_name(setup->scheme), setup->buckets,
	       text_duration(setup->tick_ns).s, clock_name(setup->clock));
	print_counts(p);
	print_verdicts(p);
	print_times(p);
	if (p->ledger.fired) {
		puts("\nlate by                 events");
		histogram_draw(stdout, p->ledger.buckets, HISTOGRAM_WIDTH);
	}
	putchar('\n');
	if (breach_total(&p->ledger.breaches))
		breach_print(&p->ledger.breaches);
	else
		printf("device = ledger: armed %llu = fired %llu + cancelled %llu + pending %llu\n",
		       p->ledger.armed, p->ledger.fired, p->ledger.cancelled,
		       p->ledger.pending);
	print_last_line(p);
}

static void json_percentiles(const char *name, const struct samples *s)
{
	size_t i;

	json_open(name, '{');
	for (i = 0; i < PERCENTILES; i++)
		json_u64(shown_percentiles[i].name,
			 samples_percentile(s, shown_percentiles[i].per_mille));
	json_close('}');
}

/**
 * report_json - for programs
 * @p: after player_run()
 */
void report_json(const struct player *p)
{
	const struct ledger *l = &p->ledger;

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
	json_u64("armed", l->armed);
	json_u64("rearmed", l->rearmed);
	json_u64("cancels", p->cancels);
	json_u64("idle_cancels", l->idle_cancels);
	json_u64("fired", l->fired);
	json_u64("cancelled", l->cancelled);
	json_u64("cancelled_at_end", l->cancelled - p->cancelled);
	if (p->words) {
		json_u64("touched", p->words->touched);
		json_u64("revived", p->words->revived);
	}
	json_u64("races", l->races);
	json_u64("pending", l->pending);
	breach_json(&l->breaches);
	json_bool("kept", !breach_total(&l->breaches));
	json_percentiles("late_ns", &l->late);
	json_percentiles("late_in_time_ns", &l->late_in_time);
	json_percentiles("behind_ns", &p->behind);
	histogram_json(l->buckets);
	json_close('}');
}
