// SPDX-License-Identifier: MIT
/*
 * wheelctl stats: the counters of wheels.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "counters.h"
#include "debugfs.h"
#include "fail.h"
#include "html.h"
#include "json.h"
#include "look.h"
#include "memory.h"
#include "options.h"
#include "parse.h"
#include "prometheus.h"
#include "selftest.h"
#include "setup.h"

static struct {
	u64 timers;
	u64 pid;
	u64 fd;
	bool prometheus;
	bool html;
} asked = {
	.fd = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "of the wheels that this process holds; of all wheels",
	  parse_count, &asked.pid },
	{ "fd", "FD", "only of this descriptor of the process", parse_number,
	  &asked.fd },
	{ "prometheus", NULL, "in Prometheus' text format", parse_flag,
	  &asked.prometheus },
	{ "html", NULL, "as one page of HTML, for a browser", parse_flag,
	  &asked.html },
	{ "self-test", "N", "of N short timers, armed for it and checked",
	  parse_count, &asked.timers },
	{ NULL }
};

static void show(const struct look *look, bool first)
{
	printf("%sprocess %d (%s), descriptor %d\n\n", first ? "" : "\n",
	       look->holder.pid, look->holder.command, look->holder.fd);
	setup_print(&look->setup);
	putchar('\n');
	counters_print(&look->stats, look->all);
}

static void show_json(const struct look *look)
{
	json_open(NULL, '{');
	json_u64("pid", (u64)look->holder.pid);
	json_string("command", look->holder.command);
	json_u64("fd", (u64)look->holder.fd);
	setup_json(&look->setup);
	counters_json(&look->stats, look->all);
	json_close('}');
}

static void show_all(const struct look *looks, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		show(&looks[i], !i);
	if (!count)
		puts("no wheels");
}

static void show_all_json(const struct look *looks, size_t count, u64 hidden)
{
	size_t i;

	json_open(NULL, '{');
	if (asked.pid)
		json_u64("pid", asked.pid);
	else
		json_u64("hidden_processes", hidden);
	json_open("wheels", '[');
	for (i = 0; i < count; i++)
		show_json(&looks[i]);
	json_close(']');
	json_close('}');
}

static void show_all_html(const struct look *looks, size_t count, u64 hidden)
{
	struct html_head head = { .hidden = hidden };
	struct occupied_list occupied;
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
	debugfs_read(&occupied, looks, count);
	for (i = 0; i < count; i++) {
		debugfs_occupancy(&occupancy, &occupied, &looks[i]);
		html_wheel(stdout, &looks[i], &occupancy);
	}
	occupied_free(&occupied);
	html_end(stdout, count);
}

/* As text, or as the form of the document that was asked for. */
static void show_as_asked(const struct look *looks, size_t count, u64 hidden)
{
	if (asked.prometheus)
		prometheus_print(looks, count, hidden);
	else if (asked.html)
		show_all_html(looks, count, hidden);
	else if (globals.json)
		show_all_json(looks, count, hidden);
	else
		show_all(looks, count);
}

static void look_around(void)
{
	struct holders holders;
	struct look *looks;
	size_t count = 0;
	size_t i;

	holders_find(&holders, asked.pid, asked.fd);
	looks = memory_zeroed(holders.count, sizeof(*looks));
	for (i = 0; i < holders.count; i++)
		count += look_at(&looks[count], &holders.list[i]);
	show_as_asked(looks, count, holders.hidden);
	holders_tell_hidden(&holders);
	holders_free(&holders);
	free(looks);
}

static int run(const char *none)
{
	(void)none;
	if (asked.pid && asked.timers)
		fail(EXIT_ASKED,
		     "stats: --self-test has a wheel of its own, and means nothing with --pid");
	if (asked.fd != NEVER && !asked.pid)
		fail(EXIT_ASKED, "stats: --fd means nothing without --pid");
	if ((asked.prometheus || asked.html) && (globals.json || asked.timers))
		fail(EXIT_ASKED, "stats: --%s means nothing with --%s",
		     asked.html ? "html" : "prometheus",
		     globals.json ? "json" : "self-test");
	if (asked.prometheus && asked.html)
		fail(EXIT_ASKED, "stats: --html means nothing with --prometheus");
	if (asked.timers)
		return selftest_run(asked.timers);
	look_around();
	return 0;
}

const struct command stats_command = {
	.name = "stats",
	.summary = "counters and lateness of wheels",
	.details =
	"Shows the counters of each wheel that a process of this machine holds, and how\n"
	"late its timers fired; with --pid those of one process. Processes that we may\n"
	"not look into are left out, and their number is told.\n"
	"\n"
	"With --self-test those of a wheel that is exercised for it: N timers are armed\n"
	"over 0.2 s, every fourth is cancelled, and each expiry and the counters are\n"
	"checked.",
	.options = options,
	.sets_up = true,
	.setup_needs = "self-test",
	.run = run,
};
