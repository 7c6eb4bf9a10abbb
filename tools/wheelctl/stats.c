// SPDX-License-Identifier: MIT
/*
 * wheelctl stats: a wheel's counters.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "device.h"
#include "fail.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "process.h"
#include "selftest.h"
#include "setup.h"

static struct {
	u64 timers;
	u64 pid;
	u64 fd;
} asked = {
	.fd = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "of the wheels that this process holds", parse_count,
	  &asked.pid },
	{ "fd", "FD", "only of this descriptor of the process", parse_number,
	  &asked.fd },
	{ "self-test", "N", "of N short timers, armed for it and checked",
	  parse_count, &asked.timers },
	{ NULL }
};

/* The kernel gives numbers where the header has names. */
static const char *name_of(const char *key, u64 number)
{
	if (!strcmp(key, "clock"))
		return clock_name((u32)number);
	if (!strcmp(key, "scheme"))
		return scheme_name((u32)number);
	return NULL;
}

static void show_line(const char *key, const char *value)
{
	const char *name;
	u64 number;

	/* The open flags are octal. */
	if (!strcmp(key, "flags") || parse_number(value, &number))
		name = value;
	else
		name = name_of(key, number);
	if (!globals.json)
		printf("%-11s %s\n", key, name ? name : value);
	else if (name)
		json_string(key, name);
	else
		json_u64(key, number);
}

static void show_device(struct device *device)
{
	struct wheel_setup setup;
	struct wheel_stats stats;

	device_info(device, &setup);
	device_stats(device, &stats);
	if (globals.json) {
		setup_json(&setup);
		counters_json(&stats);
		return;
	}
	setup_print(&setup);
	putchar('\n');
	counters_print(&stats);
}

/* Where we may not have a descriptor of our own, fdinfo still tells. */
static void show_descriptor(int pid, int fd)
{
	int ours = process_borrow(pid, fd);
	struct device device;

	if (ours >= 0) {
		device_adopt(&device, ours);
		show_device(&device);
		device_close(&device);
	} else if (ours == -EPERM) {
		process_fdinfo(pid, fd, show_line);
	} else {
		fail(EXIT_DEVICE, "process %d, descriptor %d: %s", pid, fd,
		     strerror(-ours));
	}
}

static int run(const char *none)
{
	(void)none;
	if (!asked.pid == !asked.timers)
		fail(EXIT_ASKED,
		     "stats needs either --pid PID or --self-test N: counters belong to an open file");
	if (asked.fd != NEVER && !asked.pid)
		fail(EXIT_ASKED, "stats: --fd means nothing without --pid");
	if (asked.timers)
		return selftest_run(asked.timers);
	process_each(asked.pid, asked.fd, show_descriptor);
	return 0;
}

const struct command stats_command = {
	.name = "stats",
	.summary = "counters and lateness of a wheel",
	.details =
	"Counters belong to an open file. Shows those of the wheels that a running\n"
	"process holds, or those of a wheel that is exercised for it: with --self-test\n"
	"N timers are armed over 0.2 s, every fourth is cancelled, and each expiry and\n"
	"the counters are checked.",
	.options = options,
	.sets_up = true,
	.setup_needs = "self-test",
	.run = run,
};
