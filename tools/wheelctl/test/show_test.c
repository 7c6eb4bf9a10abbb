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

static void put_plain(FILE *to, const char *text)
{
	fputs(text, to);
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

#define ENTRY(number, name, limit, busy)					       \
	"- wheel: " number "\n  name: " name "\n  scheme: hashed\n"		       \
	"  clock: boottime\n  tick: 1000000\n  buckets: 256\n" limit		       \
	"  now: 500\n  armed: 7\n  fired: 4\n  cancelled: 1\n  pending: 2\n"	       \
	"  late: {4096: 1}\n  bases:\n  - pending: 1\n    next: 900\n"		       \
	"    busy_of_64: [" busy "]\n  - pending: 1\n    next: 800\n"		       \
	"    busy_of_64: [1]\n"

static void parse(struct looks *l, const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	listing_parse(&l->listing, file);
	fclose(file);
}

/* Two wheels with equal counters are distinguished by their numbers. */
static void numbers(void)
{
	struct look list[] = { server, server, server };
	struct looks l = { .list = list, .count = 3 };
	struct occupancy o;

	list[0].number = 12;
	list[1].number = 11;
	list[2].number = NEVER;
	parse(&l, ENTRY("11", "/dev/wheel", "", "7, 0, 64") ENTRY("12", "/dev/wheel", "", "8"));
	looks_complete(&l, false);
	KTAP_EXPECT(list[0].next_in == 300 && list[2].next_in == NEVER);
	KTAP_EXPECT(!occupancy_of(&l, &list[2]).groups);
	/* The last base of a wheel is shown. */
	o = occupancy_of(&l, &list[1]);
	KTAP_EXPECT(o.groups == 1 && o.of == 64 && o.busy[0] == 1);
	listing_free(&l.listing);
	parse(&l, "\n");
	KTAP_EXPECT(!l.listing.count);
}

/* The wheels of modules are listed with those of processes. */
static void modules(void)
{
	struct looks l = { 0 };
	const struct look *look;
	char *text;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	parse(&l, ENTRY("3", "/dev/wheel", "", "7") ENTRY("4", "nfs", "  limit: 4096\n", "7"));
	looks_complete(&l, true);
	look = l.list;
	KTAP_EXPECT(l.count == 1 && look->number == 4 && !look->holder.pid);
	KTAP_EXPECT(!strcmp(look->holder.command, "nfs") && !strcmp(look->holder.user, "kernel"));
	KTAP_EXPECT(look->setup.scheme == WHEEL_HASHED && look->setup.timers == 4096 &&
		    look->setup.clock == WHEEL_CLOCK_BOOTTIME && look->setup.buckets == 256);
	KTAP_EXPECT(look->stats.armed == 7 && look->stats.fired == 4 &&
		    look->stats.cancelled == 1 && look->stats.pending == 2);
	KTAP_EXPECT(look->next_in == 300 && look->memory == NEVER && !look->all);
	print_title(to, look, put_plain);
	fclose(to);
	KTAP_EXPECT(!strcmp(text, "kernel module's wheel 4 (nfs)"));
	free(text);
	looks_free(&l);
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
	{ "a number identifies a wheel in debugfs", numbers },
	{ "the wheels of modules are listed", modules },
	{ "a page shows the state of a wheel", page_contents },
	{ "a page reports missing data", page_without_data },
	{ NULL }
};
