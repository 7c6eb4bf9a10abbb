// SPDX-License-Identifier: MIT
/*
 * wheelctl stats --html: one page, which refers to no other file.
 */
#include "show.h"

#include <sys/utsname.h>
#include <time.h>

#include "histogram.h"
#include "text.h"

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
		if (counter_is_known(c, l))
			fprintf(to,
				"<tr><td>%s</td><td class=\"count\">%s</td><td class=\"meaning\">%s</td></tr>\n",
				c->name, text_count(counter_value(c, l)).s, c->meaning);
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

void html_print(const struct looks *looks)
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
