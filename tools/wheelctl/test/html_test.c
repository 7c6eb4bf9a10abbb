// SPDX-License-Identifier: MIT
/*
 * Pages of HTML: what is on them, and that all of it is closed.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "ktap.h"
#include "server.h"

#define DEEPEST	16

/* A page of one wheel, or of none; to be freed. */
static char *page(const struct look *look, u64 hidden)
{
	const struct html_head head = {
		.machine = "db<7>", .kernel = "6.12.1", .time = "now",
		.hidden = hidden,
	};
	const struct occupancy unknown = { .groups = 0 };
	char *text;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	html_begin(to, &head);
	if (look)
		html_wheel(to, look, look->all ? &server_buckets : &unknown);
	html_end(to, !!look);
	fclose(to);
	return text;
}

static bool stays_open(const char *tag, size_t length)
{
	return (length == 4 && !strncmp(tag, "meta", 4)) || *tag == '!';
}

/* Does each tag that is opened close the one that was opened last? */
static bool is_closed(const char *text)
{
	const char *open[DEEPEST];
	size_t depth = 0;

	while ((text = strchr(text, '<'))) {
		bool closes = text[1] == '/';
		const char *tag = text + 1 + closes;
		size_t length = strcspn(tag, " >");

		text = tag;
		if (closes) {
			if (!depth || strncmp(open[--depth], tag, length) ||
			    isalnum((unsigned char)open[depth][length]))
				return false;
		} else if (!stays_open(tag, length)) {
			if (depth == DEEPEST)
				return false;
			open[depth++] = tag;
		}
	}
	return !depth;
}

static void what_is_on_it(void)
{
	struct look look = server;
	char *text;

	snprintf(look.holder.command, sizeof(look.holder.command), "a<b>&c");
	text = page(&look, 2);
	KTAP_EXPECT(is_closed(text));
	KTAP_EXPECT(strstr(text, "<title>Wheels of db&lt;7&gt;</title>"));
	KTAP_EXPECT(strstr(text, "<p>Linux 6.12.1, now</p>"));
	KTAP_EXPECT(strstr(text, "<p>2 processes of others may hold wheels"));
	KTAP_EXPECT(strstr(text, "process 1234 (a&lt;b&gt;&amp;c), descriptor 5"));
	KTAP_EXPECT(strstr(text, "hierarchical, tick 1ms, monotonic clock, 704 buckets"));
	KTAP_EXPECT(strstr(text, "32,768 of 65,536 timers"));
	KTAP_EXPECT(strstr(text, "<td>armed</td><td class=\"count\">21,000</td>"));
	KTAP_EXPECT(strstr(text, "&lt; 2.10 ms</td><td class=\"count\">10,000</td>"));
	KTAP_EXPECT(strstr(text, "p50 &lt; 2.10 ms"));
	KTAP_EXPECT(strstr(text, "<p>65 of 192; a column is 64 buckets.</p>"));
	free(text);
}

/* A bar is as long as its share, and none is longer than its place. */
static void bars(void)
{
	struct look look = server;
	char *text = page(&look, 0);

	KTAP_EXPECT(strstr(text, "<div style=\"width: 50.0%\">"));
	KTAP_EXPECT(strstr(text, "<div style=\"width: 100.0%\">"));
	KTAP_EXPECT(strstr(text, "<div style=\"width: 1.0%\">"));
	KTAP_EXPECT(strstr(text, "<div class=\"none\" style=\"height: 0.0%\">"));
	free(text);
	look.stats.pending = 70000;
	text = page(&look, 0);
	KTAP_EXPECT(!strstr(text, "106."));
	free(text);
}

static void what_is_not_known(void)
{
	struct look look = server;
	char *text = page(NULL, 0);

	KTAP_EXPECT(is_closed(text));
	KTAP_EXPECT(strstr(text, "<p>No wheels.</p>"));
	free(text);
	look.all = false;
	text = page(&look, 0);
	KTAP_EXPECT(is_closed(text));
	KTAP_EXPECT(strstr(text, "Not known: that takes the right to trace"));
	KTAP_EXPECT(!strstr(text, "wakeups"));
	KTAP_EXPECT(!strstr(text, "Buckets that hold"));
	free(text);
	look.all = true;
	look.stats.fired = 0;
	text = page(&look, 0);
	KTAP_EXPECT(strstr(text, "Nothing fired yet."));
	free(text);
}

/* A reader of the page may have no network. */
static void stands_alone(void)
{
	char *text = page(&server, 0);

	KTAP_EXPECT(!strstr(text, "src="));
	KTAP_EXPECT(!strstr(text, "href="));
	KTAP_EXPECT(!strstr(text, "url("));
	KTAP_EXPECT(!strstr(text, "@import"));
	free(text);
}

const struct ktap_case html_cases[] = {
	{ "what is on a page", what_is_on_it },
	{ "a bar is as long as its share", bars },
	{ "a page says what is not known", what_is_not_known },
	{ "a page needs no other file", stands_alone },
	{ NULL }
};
