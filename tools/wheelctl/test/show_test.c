// SPDX-License-Identifier: MIT
/*
 * Tests of the pictures of wheelctl watch and the pages of wheelctl stats --html.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "show.h"

/* A wheel that is half full. One of 100 expired timers was 2 s late. */
static const struct look server = {
	.holder = { .pid = 1234, .fd = 5, .command = "server" },
	.setup = {
		.scheme = WHEEL_HIERARCHICAL, .tick_ns = NSEC_PER_MSEC,
		.timers = 65536, .buckets = 704,
	},
	.stats = {
		.armed = 21000, .fired = 10100, .pending = 32768,
		.late = { [20] = 10000, [30] = 100 },
	},
	.all = true,
};

static const struct occupancy server_buckets = {
	.busy = { 64, 1, 0 }, .groups = 3, .of = 64,
};

/* The same wheel two seconds earlier. */
static struct look before(void)
{
	struct look look = server;

	look.stats = (struct wheel_stats){
		.armed = 1000, .fired = 100, .late = { [20] = 100 },
	};
	return look;
}

/* A picture of a given size, which the caller frees. */
static char *picture(u32 width, u32 lines)
{
	struct frame f = { .width = width, .lines = lines };
	struct look then = before();
	char *drawn, *put;
	size_t length;

	f.to = open_memstream(&drawn, &length);
	frame_wheel(&f, &then, &server, 2 * NSEC_PER_SEC, &server_buckets);
	fclose(f.to);
	f.to = open_memstream(&put, &length);
	KTAP_EXPECT(frame_put(&f, drawn, ""));
	fclose(f.to);
	free(drawn);
	return put;
}

static void picture_contents(void)
{
	char *text;

	setenv("LC_ALL", "C", 1);
	text = picture(200, 100);
	KTAP_EXPECT(!strncmp(text, "process 1234 (server), descriptor 5: ", 37));
	KTAP_EXPECT(strstr(text, ": hierarchical, tick 1ms, monotonic\n"));
	KTAP_EXPECT(strstr(text, "pending    32,768 of 65,536  [##########"));
	KTAP_EXPECT(strstr(text, "##########          "));
	KTAP_EXPECT(strstr(text, "   armed/s 10,000   fired/s 5,000   "));
	KTAP_EXPECT(strstr(text, "   cancelled/s 0   wake-ups/s 0\n"));
	KTAP_EXPECT(strstr(text, "  <   2.10 ms       9,900  ####"));
	KTAP_EXPECT(strstr(text, "  <    2.15 s         100  #\n"));
	KTAP_EXPECT(strstr(text, "buckets    [#. ] 65 of 192 hold timers\n"));
	free(text);
}

static void heights(void)
{
	char *text = picture(80, 2);

	KTAP_EXPECT(strstr(text, "\n(more lines: make the terminal taller)\n"));
	KTAP_EXPECT(strchr(text, '\n') && strchr(strchr(text, '\n') + 1, '\n')[1] == '\0');
	free(text);
}

#define ENTRY(name, armed, busy)					       \
	"- wheel: 1\n  name: " name "\n  tick: 1000000\n  armed: " armed	       \
	"\n  fired: 100\n  cancelled: 0\n  bases:\n  - pending: 1\n"	       \
	"    busy_of_64: [" busy "]\n"

static bool finds(const char *text, struct occupancy *o)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct look then = before(), now = then;
	struct occupied_list all;
	bool found;

	now.stats.armed = 1010;
	occupied_parse(&all, file);
	fclose(file);
	found = occupancy_find(o, &all, &then, &now);
	occupied_free(&all);
	return found;
}

static void buckets(void)
{
	struct occupancy o;

	KTAP_EXPECT(finds(ENTRY("system", "1005", "9")
			  ENTRY("/dev/wheel", "999", "8")
			  ENTRY("/dev/wheel", "1005", "7, 0, 64")
			  ENTRY("/dev/wheel", "1011", "6"), &o));
	KTAP_EXPECT(o.groups == 3 && o.of == 64 && o.busy[0] == 7 &&
		    o.busy[2] == 64);
	KTAP_EXPECT(!finds(ENTRY("/dev/wheel", "1005", "7")
			   ENTRY("/dev/wheel", "1006", "8"), &o));
	KTAP_EXPECT(!o.groups);
	KTAP_EXPECT(!finds("\n", &o));
}

#define DEEPEST	16

/* A page of one wheel or none, which the caller frees. */
static char *page(const struct look *look, u64 hidden)
{
	const struct page_head head = {
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

static bool has_no_end(const char *tag, size_t length)
{
	return (length == 4 && !strncmp(tag, "meta", 4)) || *tag == '!';
}

/* Check that all tags are closed in the right order. */
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
		} else if (!has_no_end(tag, length)) {
			if (depth == DEEPEST)
				return false;
			open[depth++] = tag;
		}
	}
	return !depth;
}

static void page_contents(void)
{
	struct look look = server;
	char *text;

	snprintf(look.holder.command, sizeof(look.holder.command), "a<b>&c");
	text = page(&look, 2);
	KTAP_EXPECT(is_closed(text));
	KTAP_EXPECT(strstr(text, "<title>Wheels of db&lt;7&gt;</title>"));
	KTAP_EXPECT(strstr(text, "<p>Linux 6.12.1, now</p>"));
	KTAP_EXPECT(strstr(text, "<p>2 processes of other users may hold wheels"));
	KTAP_EXPECT(strstr(text, "process 1234 (a&lt;b&gt;&amp;c), descriptor 5"));
	KTAP_EXPECT(strstr(text, "hierarchical, tick 1ms, monotonic clock, 704 buckets"));
	KTAP_EXPECT(strstr(text, "32,768 of 65,536 timers"));
	KTAP_EXPECT(strstr(text, "<td>armed</td><td class=\"count\">21,000</td>"));
	KTAP_EXPECT(strstr(text, "&lt; 2.10 ms</td><td class=\"count\">10,000</td>"));
	KTAP_EXPECT(strstr(text, "p50 &lt; 2.10 ms"));
	KTAP_EXPECT(strstr(text, "<p>65 of 192; each column shows 64 buckets.</p>"));
	free(text);
}

static void page_without_data(void)
{
	struct look look = server;
	char *text = page(NULL, 0);

	KTAP_EXPECT(is_closed(text));
	KTAP_EXPECT(strstr(text, "<p>No wheels.</p>"));
	free(text);
	look.all = false;
	text = page(&look, 0);
	KTAP_EXPECT(is_closed(text));
	KTAP_EXPECT(strstr(text, "Unknown: requires the right to trace"));
	KTAP_EXPECT(!strstr(text, "wakeups"));
	KTAP_EXPECT(!strstr(text, "Occupied buckets"));
	free(text);
	look.all = true;
	look.stats.fired = 0;
	text = page(&look, 0);
	KTAP_EXPECT(strstr(text, "No timer has expired."));
	free(text);
}

const struct ktap_test show_cases[] = {
	{ "a picture shows the state of a wheel", picture_contents },
	{ "a picture fits into any height", heights },
	{ "counters identify a wheel in debugfs", buckets },
	{ "a page shows the state of a wheel", page_contents },
	{ "a page reports missing data", page_without_data },
	{ NULL }
};
