// SPDX-License-Identifier: MIT
/*
 * wheelctl stats: shows the counters of wheels as text, JSON, HTML or Prometheus metrics.
 */
#include "show.h"

#include <assert.h>

#include "histogram.h"
#include "setup.h"
#include "text.h"
#include "util.h"

static struct {
	u64 pid;
	u64 fd;
	bool prometheus;
	bool details;
	bool html;
} requested = {
	.fd = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "show only the wheels of this process", parse_count, &requested.pid },
	{ "fd", "FD", "show only this descriptor of the process", parse_number, &requested.fd },
	{ "prometheus", NULL, "print Prometheus' text format", parse_flag,
	  &requested.prometheus },
	{ "details", NULL, "with --prometheus: print each wheel instead of totals", parse_flag,
	  &requested.details },
	{ "html", NULL, "print one HTML page", parse_flag, &requested.html },
	{ NULL }
};

const struct counter counters[] = {
#define COUNTER(member, is_gauge, in_fdinfo, meaning)					\
	{ #member, offsetof(struct wheel_stats, member), is_gauge, in_fdinfo, meaning }
	COUNTER(armed, false, true, "timers armed, including each period"),
	COUNTER(fired, false, true, "timers expired"),
	COUNTER(cancelled, false, true, "timers cancelled while pending"),
	COUNTER(pending, true, true, "armed - fired - cancelled"),
	COUNTER(rearmed, false, false, "deadlines moved while pending"),
	COUNTER(requeued, false, false, "timers requeued after a move in shared memory"),
	COUNTER(refused, false, false, "arms rejected: a limit, a time, a stop"),
	COUNTER(overruns, false, false, "periods missed"),
	COUNTER(unread, true, true, "events not yet read"),
	COUNTER(deferred, false, false, "passes that an interrupt left to the program"),
	COUNTER(cascaded, false, false, "timers moved to a lower level"),
	COUNTER(passes, false, false, "advances of the wheel"),
	COUNTER(wakeups, false, false, "timer interrupts"),
#undef COUNTER
	{ NULL }
};

/* The histogram follows the counters. */
static_assert(ARRAY_SIZE(counters) - 1 == (offsetof(struct wheel_stats, late) -
					   offsetof(struct wheel_stats, armed)) / sizeof(u64),
	      "each counter has one row");

static void put_plain(FILE *to, const char *text)
{
	fputs(text, to);
}

static void print_memory(const struct look *l)
{
	if (l->memory == NEVER)
		return;
	printf("memory      %s kB", text_count(l->memory / 1024).s);
	if (l->user_memory != NEVER)
		printf("; all wheels of user %s: %s kB", l->holder.user,
		       text_count(l->user_memory / 1024).s);
	if (l->user_limit != NEVER)
		printf(" of %s kB", text_count(l->user_limit / 1024).s);
	putchar('\n');
}

static void print_wheel(const struct look *look, bool first)
{
	const struct counter *c;

	fputs(first ? "" : "\n", stdout);
	print_title(stdout, look, put_plain);
	fputs("\n\n", stdout);
	setup_print(&look->setup);
	print_memory(look);
	putchar('\n');
	for (c = counters; c->name; c++)
		if (counter_is_known(c, look))
			printf("%-11s %15s  %s\n", c->name, text_count(counter_value(c, look)).s,
			       c->meaning);
	if (!look->all || !look->stats.fired)
		return;
	puts("\nlate by                 events");
	histogram_draw(stdout, look->stats.late, HISTOGRAM_WIDTH);
	histogram_summary(stdout, look->stats.late, "<");
	putchar('\n');
}

static void print_text(const struct looks *looks)
{
	size_t i;

	for (i = 0; i < looks->count; i++)
		print_wheel(&looks->list[i], !i);
	if (!looks->count)
		puts("no wheels");
}

static void json_wheel(const struct look *look)
{
	const struct counter *c;

	json_open(NULL, '{');
	json_holder(look);
	setup_json(&look->setup);
	for (c = counters; c->name; c++)
		if (counter_is_known(c, look))
			json_u64(c->name, counter_value(c, look));
	if (look->all)
		histogram_json(look->stats.late);
	json_close('}');
}

static void print_json(const struct looks *looks)
{
	size_t i;

	json_open(NULL, '{');
	if (requested.pid)
		json_u64("pid", requested.pid);
	else
		json_u64("hidden_processes", looks->hidden);
	json_open("wheels", '[');
	for (i = 0; i < looks->count; i++)
		json_wheel(&looks->list[i]);
	json_close(']');
	json_close('}');
}

static int run(const char *none)
{
	struct looks looks;

	(void)none;
	if (requested.fd != NEVER && !requested.pid)
		fail(EXIT_USAGE, "stats: --fd requires --pid");
	if (globals.json + requested.html + requested.prometheus > 1)
		fail(EXIT_USAGE, "stats: --json, --html and --prometheus are mutually exclusive");
	if (requested.details && !requested.prometheus)
		fail(EXIT_USAGE, "stats: --details requires --prometheus");
	looks_take(&looks, requested.pid, requested.fd);
	if (requested.prometheus)
		prometheus_print(&looks, requested.details);
	else if (requested.html)
		html_print(&looks);
	else if (globals.json)
		print_json(&looks);
	else
		print_text(&looks);
	print_hidden(stderr, "wheelctl: ", looks.hidden, "\n");
	looks_free(&looks);
	return 0;
}

const struct command stats_command = {
	.name = "stats",
	.summary = "show the counters and the lateness of wheels",
	.details =
	"Shows the counters of each wheel that a process of this machine holds, and a\n"
	"histogram of the lateness of its timers. For root, also shows the wheels of\n"
	"kernel modules. Processes that this user may not inspect are counted, but not\n"
	"shown.",
	.options = options,
	.run = run,
};
