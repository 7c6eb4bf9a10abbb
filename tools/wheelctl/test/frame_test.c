// SPDX-License-Identifier: MIT
/*
 * Pictures of wheels, at any width; the buckets of the right one.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "ktap.h"
#include "server.h"

/* The same wheel two seconds before. */
static struct look before(void)
{
	struct look look = server;

	look.stats = (struct wheel_stats){
		.armed = 1000, .fired = 100, .late = { [20] = 100 },
	};
	return look;
}

/* The picture, put at some size; to be freed. */
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

static size_t longest(const char *text)
{
	size_t most = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > most)
			most = length;
		text += length + 1;
	}
	return most;
}

static void what_is_drawn(void)
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

static void any_width(void)
{
	u32 width;

	setenv("LC_ALL", "C", 1);
	for (width = 1; width < 250; width++) {
		char *text = picture(width, 100);

		KTAP_EXPECT(longest(text) <= width);
		KTAP_EXPECT(width < 80 || longest(text) > width / 2);
		free(text);
	}
}

static void folded_lines(void)
{
	char *text;

	setenv("LC_ALL", "C", 1);
	text = picture(40, 100);
	KTAP_EXPECT(strstr(text, "descriptor 5:\n           hierarchical, tick 1ms,\n"
				 "           monotonic\npending"));
	KTAP_EXPECT(strstr(text, "\nrates      armed/s 10,000\n"
				 "           fired/s 5,000   cancelled/s 0\n"
				 "           wake-ups/s 0\n"));
	free(text);
}

static void any_height(void)
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
	occupied_read(&all, file);
	fclose(file);
	found = occupancy_find(o, &all, &then, &now);
	occupied_free(&all);
	return found;
}

/* Each wheel is found in what was read once: to read it for each took a minute for 200. */
static void buckets_of_all(void)
{
	const char *text = ENTRY("/dev/wheel", "1005", "1") ENTRY("/dev/wheel", "2005", "2")
			   ENTRY("/dev/wheel", "3005", "3");
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct occupied_list all;
	struct occupancy o;
	u32 i;

	occupied_read(&all, file);
	fclose(file);
	KTAP_EXPECT(all.count == 3);
	for (i = 1; i <= 3; i++) {
		struct look then = before(), now = then;

		then.stats.armed = 1000 * i;
		now.stats.armed = 1000 * i + 10;
		KTAP_EXPECT(occupancy_find(&o, &all, &then, &now) && o.busy[0] == i);
	}
	occupied_free(&all);
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

const struct ktap_case frame_cases[] = {
	{ "what a picture shows", what_is_drawn },
	{ "a picture of any width", any_width },
	{ "a picture that is folded", folded_lines },
	{ "a picture of any height", any_height },
	{ "the buckets of the right wheel", buckets },
	{ "the buckets of many wheels", buckets_of_all },
	{ NULL }
};
