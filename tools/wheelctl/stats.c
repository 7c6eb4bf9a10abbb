// SPDX-License-Identifier: MIT
/*
 * wheelctl stats: shows the counters of wheels as text, JSON, HTML or Prometheus metrics.
 */
#include "show.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "histogram.h"
#include "setup.h"
#include "text.h"
#include "util.h"

/* Limits of the Prometheus histogram, from 1 us to 137 s; they are constant. */
#define FIRST_EDGE	9
#define LAST_EDGE	36

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

/**
 * struct counter - a member of struct wheel_stats
 * @name: name of the member
 * @offset: offset of the member
 * @is_gauge: true if the value can decrease
 * @in_fdinfo: true if fdinfo contains it
 * @meaning: short description
 */
static const struct counter {
	const char *name;
	size_t offset;
	bool is_gauge;
	bool in_fdinfo;
	const char *meaning;
} counters[] = {
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

static u64 value_of(const struct counter *counter, const struct look *look)
{
	return *(const u64 *)((const char *)&look->stats + counter->offset);
}

static bool is_known(const struct counter *counter, const struct look *look)
{
	return look->all || counter->in_fdinfo;
}

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
		if (is_known(c, look))
			printf("%-11s %15s  %s\n", c->name, text_count(value_of(c, look)).s,
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
		if (is_known(c, look))
			json_u64(c->name, value_of(c, look));
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

static void put_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putchar('\\');
		putchar(*text);
	}
}

/* Print the name and the labels of a sample: of a wheel, or of all wheels of a program. */
static void put_sample(const struct look *l, const char *name, const char *suffix,
		       const char *more)
{
	printf("wheel_%s%s{user=\"", name, suffix);
	put_escaped(l->holder.user);
	printf("\",command=\"");
	put_escaped(l->holder.command);
	putchar('"');
	if (requested.details)
		printf(",pid=\"%d\",fd=\"%d\",clock=\"%s\",scheme=\"%s\"", l->holder.pid,
		       l->holder.fd, clock_name(l->setup.clock), scheme_name(l->setup.scheme));
	printf("%s} ", more);
}

static void put_head(const char *name, const char *suffix, const char *type,
		     const char *meaning)
{
	printf("# HELP wheel_%s%s %s\n# TYPE wheel_%s%s %s\n", name, suffix, meaning, name,
	       suffix, type);
}

static void put_counter(const struct counter *c, const struct looks *looks)
{
	const char *suffix = c->is_gauge ? "" : "_total";
	size_t i;

	put_head(c->name, suffix, c->is_gauge ? "gauge" : "counter", c->meaning);
	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];

		if (!is_known(c, l))
			continue;
		put_sample(l, c->name, suffix, "");
		printf("%llu\n", value_of(c, l));
	}
}

static void put_tick(const struct looks *looks)
{
	size_t i;

	put_head("tick_seconds", "", "gauge", "times are rounded up to multiples of this");
	for (i = 0; i < looks->count; i++) {
		u64 ns = looks->list[i].setup.tick_ns;

		put_sample(&looks->list[i], "tick_seconds", "", "");
		printf("%llu.%09llu\n", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
	}
}

static void put_capacity(const struct looks *looks, const u64 *capacity)
{
	size_t i;

	put_head("capacity", "", "gauge", "number of timers that the wheels can hold");
	for (i = 0; i < looks->count; i++) {
		if (!capacity[i])
			continue;
		put_sample(&looks->list[i], "capacity", "", "");
		printf("%llu\n", capacity[i]);
	}
}

static void put_memory(const struct looks *looks)
{
	size_t i;

	put_head("memory_bytes", "", "gauge", "memory of the wheels");
	for (i = 0; i < looks->count; i++) {
		if (looks->list[i].memory == NEVER)
			continue;
		put_sample(&looks->list[i], "memory_bytes", "", "");
		printf("%llu\n", looks->list[i].memory);
	}
}

static bool is_first_of_user(const struct looks *looks, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (looks->list[i].user_memory != NEVER &&
		    !strcmp(looks->list[i].holder.user, looks->list[at].holder.user))
			return false;
	return true;
}

/* The limit depends on RLIMIT_MEMLOCK of the process; that of the first one is printed. */
static void put_user(const struct looks *looks, const char *name, size_t member,
		     const char *meaning)
{
	size_t i;

	put_head(name, "", "gauge", meaning);
	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];
		u64 value = *(const u64 *)((const char *)l + member);

		if (l->user_memory == NEVER || value == NEVER || !is_first_of_user(looks, i))
			continue;
		printf("wheel_%s{user=\"", name);
		put_escaped(l->holder.user);
		printf("\"} %llu\n", value);
	}
}

/* Times are whole nanoseconds below the end of a bucket, so "le" is one less. */
static void put_buckets(const struct look *l)
{
	u64 seen = 0;
	char edge[48];
	u32 i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		u64 last = (2ULL << i) - 1;

		seen += l->stats.late[i];
		if (i < FIRST_EDGE || i > LAST_EDGE)
			continue;
		snprintf(edge, sizeof(edge), ",le=\"%llu.%09llu\"", last / NSEC_PER_SEC,
			 last % NSEC_PER_SEC);
		put_sample(l, "late_seconds", "_bucket", edge);
		printf("%llu\n", seen);
	}
	put_sample(l, "late_seconds", "_bucket", ",le=\"+Inf\"");
	printf("%llu\n", seen);
	put_sample(l, "late_seconds", "_count", "");
	printf("%llu\n", seen);
}

/* Version 0.0.4 of the format: a metric's description precedes all of its samples. */
static void put_metrics(const struct looks *looks, const u64 *capacity)
{
	const struct counter *c;
	size_t i;

	for (c = counters; c->name; c++)
		put_counter(c, looks);
	put_capacity(looks, capacity);
	put_memory(looks);
	put_user(looks, "user_memory_bytes", offsetof(struct look, user_memory),
		 "memory of all wheels of a user");
	put_user(looks, "user_memory_limit_bytes", offsetof(struct look, user_limit),
		 "limit of the memory of all wheels of a user");
	if (requested.details)
		put_tick(looks);
	put_head("late_seconds", "", "histogram", "time from the deadlines to the expiries");
	for (i = 0; i < looks->count; i++)
		if (looks->list[i].all)
			put_buckets(&looks->list[i]);
	put_head("hidden_processes", "", "gauge", "processes that could not be inspected");
	printf("wheel_hidden_processes %llu\n", looks->hidden);
}

/* A wheel that several processes share is counted once. */
static bool is_counted(const struct looks *looks, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (looks->list[i].number == looks->list[at].number)
			return looks->list[at].number != NEVER;
	return false;
}

static struct look *total_of(struct looks *totals, const struct look *look)
{
	struct look *total;
	size_t i;

	for (i = 0; i < totals->count; i++) {
		total = &totals->list[i];
		if (!strcmp(total->holder.user, look->holder.user) &&
		    !strcmp(total->holder.command, look->holder.command))
			return total;
	}
	total = &totals->list[totals->count++];
	*total = *look;
	memset(&total->stats, 0, sizeof(total->stats));
	total->all = true;
	total->memory = 0;
	return total;
}

static void add_stats(struct wheel_stats *sum, const struct wheel_stats *stats)
{
	const struct counter *c;
	size_t i;

	for (c = counters; c->name; c++)
		*(u64 *)((char *)sum + c->offset) +=
			*(const u64 *)((const char *)stats + c->offset);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum->late[i] += stats->late[i];
}

/* Add up the wheels of each program, so that the number of samples does not depend on them. */
static void put_totals(const struct looks *looks)
{
	struct looks totals = { .list = xcalloc(looks->count, sizeof(struct look)),
				.hidden = looks->hidden };
	u64 *capacity = xcalloc(looks->count, sizeof(*capacity));
	u64 *wheels = xcalloc(looks->count, sizeof(*wheels));
	size_t i;

	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];
		struct look *total;

		if (is_counted(looks, i))
			continue;
		total = total_of(&totals, l);
		wheels[total - totals.list]++;
		capacity[total - totals.list] += l->setup.timers;
		add_stats(&total->stats, &l->stats);
		/* A wheel on which no timer was armed has no counters. */
		total->all &= l->all || !l->stats.armed;
		total->memory = l->memory == NEVER ? NEVER : total->memory + l->memory;
	}
	put_head("open", "", "gauge", "number of wheels");
	for (i = 0; i < totals.count; i++) {
		put_sample(&totals.list[i], "open", "", "");
		printf("%llu\n", wheels[i]);
	}
	put_metrics(&totals, capacity);
	free(totals.list);
	free(capacity);
	free(wheels);
}

static void put_details(const struct looks *looks)
{
	u64 *capacity = xcalloc(looks->count, sizeof(*capacity));
	size_t i;

	for (i = 0; i < looks->count; i++)
		capacity[i] = looks->list[i].setup.timers;
	put_metrics(looks, capacity);
	free(capacity);
}

static const char style[] =
	":root { color-scheme: light dark; --bar: #1d5fa8; --empty: #e4e9ee; --quiet: #5b6773 }\n"
	"body { font: 17px/1.5 Helvetica, Arial, sans-serif; max-width: 46em; margin: 0 auto;\n"
	"       padding: 1em; color: #1f2933; background: #fff }\n"
	"section { margin-top: 2.5em } h2, h3 { margin: 1em 0 .3em }\n"
	"table { border-collapse: collapse; width: 100% } td { padding: .1em .5em .1em 0 }\n"
	"td.count { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }\n"
	"td.bar { width: 50% } small, td.meaning { color: var(--quiet) }\n"
	".track { background: var(--empty) } .track div { background: var(--bar); height: 1em;\n"
	"       min-width: 2px } .track div.none { min-width: 0 }\n"
	".groups { display: flex; gap: 1px; height: 3em; align-items: stretch }\n"
	".groups .track { flex: 1; display: flex; align-items: flex-end }\n"
	".groups .track div { width: 100%; min-width: 0 }\n"
	"@media (prefers-color-scheme: dark) { :root { --bar: #6fb1f5; --empty: #2a323a;\n"
	"       --quiet: #9aa7b4 } body { color: #e6eaee; background: #14181c } }\n";

static void put_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", to);
		else if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '>')
			fputs("&gt;", to);
		else
			putc(*text, to);
	}
}

/* Integers only, because the decimal point of a number depends on the locale. */
static void put_share(FILE *to, const char *side, u64 part, u64 whole)
{
	u64 share = (u64)((double)part / (double)(whole ? whole : 1) * 1000);

	if (share > 1000)
		share = 1000;
	fprintf(to, "<div class=\"track\"><div%s style=\"%s: %llu.%llu%%\"></div></div>",
		part ? "" : " class=\"none\"", side, share / 10, share % 10);
}

void html_begin(FILE *to, const struct page_head *head)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<title>Wheels of ", to);
	put_text(to, head->machine);
	fprintf(to, "</title>\n<style>\n%s</style></head><body>\n<h1>Wheels of ", style);
	put_text(to, head->machine);
	fputs("</h1>\n<p>Linux ", to);
	put_text(to, head->kernel);
	fputs(", ", to);
	put_text(to, head->time);
	fputs("</p>\n", to);
	print_hidden(to, "<p>", head->hidden, "</p>\n");
}

static void put_counters(FILE *to, const struct look *l)
{
	const struct counter *c;

	fputs("<h3>Counters</h3>\n<table>\n", to);
	for (c = counters; c->name; c++)
		if (is_known(c, l))
			fprintf(to,
				"<tr><td>%s</td><td class=\"count\">%s</td><td class=\"meaning\">%s</td></tr>\n",
				c->name, text_count(value_of(c, l)).s, c->meaning);
	fputs("</table>\n", to);
}

static void put_late(FILE *to, const u64 *late)
{
	u32 first, last, i;
	u64 most = histogram_range(late, &first, &last);

	fputs("<table>\n", to);
	for (i = first; i <= last; i++) {
		fprintf(to,
			"<tr><td class=\"count\">&lt; %s</td><td class=\"count\">%s</td><td class=\"bar\">",
			text_time(histogram_end(i)).s, text_count(late[i]).s);
		put_share(to, "width", late[i], most);
		fputs("</td></tr>\n", to);
	}
	fputs("</table>\n<p>", to);
	histogram_summary(to, late, "&lt;");
	fputs("</p>\n", to);
}

static void put_lateness(FILE *to, const struct look *l)
{
	fputs("<h3>Lateness of expiries</h3>\n", to);
	if (!l->all)
		fputs("<p>Unknown: requires the right to trace the process.</p>\n", to);
	else if (!l->stats.fired)
		fputs("<p>No timer has expired.</p>\n", to);
	else
		put_late(to, l->stats.late);
}

static void put_occupancy(FILE *to, const struct occupancy *o)
{
	u64 busy = 0;
	u32 i;

	fputs("<h3>Occupied buckets</h3>\n<div class=\"groups\">", to);
	for (i = 0; i < o->groups; i++) {
		busy += o->busy[i];
		put_share(to, "height", o->busy[i], o->of);
	}
	fprintf(to, "</div>\n<p>%s of %s; each column shows %s buckets.</p>\n",
		text_count(busy).s, text_count((u64)o->groups * o->of).s, text_count(o->of).s);
}

void html_wheel(FILE *to, const struct look *look, const struct occupancy *o)
{
	fputs("<section><h2>", to);
	print_title(to, look, put_text);
	fprintf(to, "</h2>\n<p>%s, tick %s, %s clock, %s buckets</p>\n",
		scheme_name(look->setup.scheme),
		text_duration(look->setup.tick_ns).s, clock_name(look->setup.clock),
		text_count(look->setup.buckets).s);
	fprintf(to, "<h3>Pending</h3>\n<p>%s", text_count(look->stats.pending).s);
	if (look->setup.timers) {
		fprintf(to, " of %s timers</p>\n", text_count(look->setup.timers).s);
		put_share(to, "width", look->stats.pending, look->setup.timers);
		putc('\n', to);
	} else {
		fputs(" timers</p>\n", to);
	}
	put_lateness(to, look);
	if (o->groups)
		put_occupancy(to, o);
	put_counters(to, look);
	fputs("</section>\n", to);
}

void html_end(FILE *to, size_t wheels)
{
	if (!wheels)
		fputs("<p>No wheels.</p>\n", to);
	fputs("</body></html>\n", to);
}

static void print_html(const struct looks *looks)
{
	struct page_head head = { .hidden = looks->hidden };
	struct occupancy occupancy;
	struct utsname machine;
	char when[32];
	time_t now = time(NULL);
	size_t i;

	uname(&machine);
	strftime(when, sizeof(when), "%F %T UTC", gmtime(&now));
	head.machine = machine.nodename;
	head.kernel = machine.release;
	head.time = when;
	html_begin(stdout, &head);
	for (i = 0; i < looks->count; i++) {
		occupancy = occupancy_of(looks, &looks->list[i]);
		html_wheel(stdout, &looks->list[i], &occupancy);
	}
	html_end(stdout, looks->count);
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
	if (requested.prometheus && requested.details)
		put_details(&looks);
	else if (requested.prometheus)
		put_totals(&looks);
	else if (requested.html)
		print_html(&looks);
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
