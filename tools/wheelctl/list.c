// SPDX-License-Identifier: MIT
/*
 * wheelctl list: the pending timers of another process.
 */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "fail.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "process.h"
#include "text.h"

#define PAGE	1024

static struct {
	u64 pid;
	u64 fd;
	u64 limit;
} asked = {
	.fd = NEVER,
	.limit = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "of the wheels that this process holds", parse_count,
	  &asked.pid },
	{ "fd", "FD", "only of this descriptor of the process", parse_number,
	  &asked.fd },
	{ "limit", "N", "at most so many timers a wheel; all", parse_count,
	  &asked.limit },
	{ NULL }
};

static void print_timer(const struct wheel_op *op, u64 now)
{
	u64 distance = op->when < now ? now - op->when : op->when - now;
	char due_in[40];

	snprintf(due_in, sizeof(due_in), "%c%s", op->when < now ? '-' : '+',
		 text_time(distance).s);
	printf("%8u %10llu %20llu %11s", WHEEL_ID_SLOT(op->id),
	       WHEEL_ID_GEN(op->id), op->when, due_in);
	printf(" %9s %9s  %#llx%s\n", op->slack ? text_time(op->slack).s : "-",
	       op->period ? text_time(op->period).s : "-", op->cookie,
	       op->flags & WHEEL_OP_TOUCH ? " touch" : "");
}

static void json_timer(const struct wheel_op *op)
{
	json_open(NULL, '{');
	json_u64("id", op->id);
	json_u64("slot", WHEEL_ID_SLOT(op->id));
	json_u64("generation", WHEEL_ID_GEN(op->id));
	json_u64("deadline", op->when);
	json_u64("slack", op->slack);
	json_u64("period", op->period);
	json_u64("cookie", op->cookie);
	json_bool("touch", op->flags & WHEEL_OP_TOUCH);
	json_close('}');
}

static u64 list_pages(struct device *device)
{
	static struct wheel_op ops[PAGE];
	u64 shown = 0;
	u32 cursor = 0;
	u32 count, i;

	while (shown < asked.limit) {
		u64 room = asked.limit - shown;
		u64 now;

		count = device_list(device, ops,
				    room < PAGE ? (u32)room : PAGE, &cursor);
		if (!count)
			break;
		now = device_now(device);
		for (i = 0; i < count; i++) {
			if (globals.json)
				json_timer(&ops[i]);
			else
				print_timer(&ops[i], now);
		}
		shown += count;
	}
	return shown;
}

static void list_descriptor(int pid, int fd)
{
	int ours = process_borrow(pid, fd);
	struct device device;
	u64 shown;

	if (ours < 0)
		fail(EXIT_DEVICE,
		     "process %d, descriptor %d: %s (needs the right to trace the process)",
		     pid, fd, strerror(-ours));
	device_adopt(&device, ours);
	if (globals.json) {
		json_string("clock", clock_name(device.clock));
		json_u64("now", device_now(&device));
		json_open("timers", '[');
		list_pages(&device);
		json_close(']');
	} else {
		printf("%8s %10s %20s %11s %9s %9s  %s\n", "slot", "generation",
		       "deadline (ns)", "due in", "slack", "period", "cookie");
		shown = list_pages(&device);
		printf("\n%s timer%s on the %s clock\n", text_count(shown).s,
		       shown == 1 ? "" : "s", clock_name(device.clock));
	}
	device_close(&device);
}

static int run(const char *none)
{
	(void)none;
	if (!asked.pid)
		fail(EXIT_ASKED,
		     "list needs --pid PID: timers belong to an open file");
	process_each(asked.pid, asked.fd, list_descriptor);
	return 0;
}

const struct command list_command = {
	.name = "list",
	.summary = "the pending timers of a process",
	.details =
	"Lists the pending timers of the wheels that a running process holds, by slot,\n"
	"through a duplicate of its descriptor. That takes the right to trace the\n"
	"process. Timers that are armed or fire meanwhile may be listed or not.",
	.options = options,
	.run = run,
};
