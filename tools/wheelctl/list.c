// SPDX-License-Identifier: MIT
/*
 * wheelctl list: lists the wheels of this machine, or the pending timers of a process.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "look.h"
#include "text.h"

#define PAGE	1024

static struct {
	u64 pid;
	u64 fd;
	u64 limit;
} requested = {
	.fd = NEVER,
	.limit = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "list the timers of this process", parse_count, &requested.pid },
	{ "fd", "FD", "list only this descriptor of the process", parse_number, &requested.fd },
	{ "limit", "N", "list at most N timers per wheel", parse_count, &requested.limit },
	{ NULL }
};

static void print_timer(const struct wheel_op *op, u64 now)
{
	u64 distance = op->when < now ? now - op->when : op->when - now;
	char due_in[40];

	snprintf(due_in, sizeof(due_in), "%c%s", op->when < now ? '-' : '+',
		 text_time(distance).s);
	printf("%8u %10llu %20llu %11s", WHEEL_ID_SLOT(op->id), WHEEL_ID_GEN(op->id), op->when,
	       due_in);
	printf(" %9s %9s  %#llx%s\n", op->slack ? text_time(op->slack).s : "-",
	       op->period ? text_time(op->period).s : "-", op->cookie,
	       op->flags & WHEEL_OP_WORD ? " word" : "");
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
	json_bool("word", op->flags & WHEEL_OP_WORD);
	json_close('}');
}

static u64 list_pages(struct device *device, const struct holder *holder)
{
	static struct wheel_op ops[PAGE];
	u64 shown = 0;
	u32 cursor = 0;
	u32 count, i;

	if (look_is_empty(holder))
		return 0;
	while (shown < requested.limit) {
		u64 rest = requested.limit - shown;
		u64 now;

		count = device_list(device, ops, rest < PAGE ? (u32)rest : PAGE, &cursor);
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

static void list_timers(const struct holder *holder, bool first)
{
	int fd = holder_borrow(holder);
	struct device device;
	u64 shown;

	if (fd < 0)
		fail(EXIT_DEVICE,
		     "process %d, descriptor %d: %s (requires the right to trace the process)",
		     holder->pid, holder->fd, strerror(-fd));
	device_adopt(&device, fd);
	if (globals.json) {
		json_open(NULL, '{');
		json_u64("fd", (u64)holder->fd);
		json_string("clock", clock_name(device.clock));
		json_u64("now", device_now(&device));
		json_open("timers", '[');
		list_pages(&device, holder);
		json_close(']');
		json_close('}');
	} else {
		printf("%sprocess %d (%s), descriptor %d\n\n", first ? "" : "\n",
		       holder->pid, holder->command, holder->fd);
		printf("%8s %10s %20s %11s %9s %9s  %s\n", "slot", "generation",
		       "deadline (ns)", "due in", "slack", "period", "cookie");
		shown = list_pages(&device, holder);
		printf("\n%s timer%s on the %s clock\n", text_count(shown).s,
		       shown == 1 ? "" : "s", clock_name(device.clock));
	}
	device_close(&device);
}

static void list_process(void)
{
	struct holders holders;
	size_t i;

	holders_find(&holders, requested.pid, requested.fd);
	if (globals.json) {
		json_open(NULL, '{');
		json_u64("pid", requested.pid);
		json_open("wheels", '[');
	}
	for (i = 0; i < holders.count; i++)
		list_timers(&holders.list[i], !i);
	if (globals.json) {
		json_close(']');
		json_close('}');
	}
	holders_free(&holders);
}

static void print_wheel(const struct look *look)
{
	printf("%7d %4d %-15s %-12s %-9s %8s %10s %10s\n", look->holder.pid, look->holder.fd,
	       look->holder.command, scheme_name(look->setup.scheme),
	       clock_name(look->setup.clock), text_duration(look->setup.tick_ns).s,
	       text_count(look->setup.timers).s, text_count(look->stats.pending).s);
}

static void json_wheel(const struct look *look)
{
	json_open(NULL, '{');
	json_u64("pid", (u64)look->holder.pid);
	json_string("command", look->holder.command);
	json_u64("fd", (u64)look->holder.fd);
	json_string("clock", clock_name(look->setup.clock));
	json_string("scheme", scheme_name(look->setup.scheme));
	json_u64("tick_ns", look->setup.tick_ns);
	json_u64("timers", look->setup.timers);
	json_u64("pending", look->stats.pending);
	json_close('}');
}

static void print_wheels(const struct looks *looks)
{
	size_t i;

	if (looks->count)
		printf("%7s %4s %-15s %-12s %-9s %8s %10s %10s\n", "process", "fd", "command",
		       "scheme", "clock", "tick", "capacity", "pending");
	else
		puts("no wheels");
	for (i = 0; i < looks->count; i++)
		print_wheel(&looks->list[i]);
}

static void json_wheels(const struct looks *looks)
{
	size_t i;

	json_open(NULL, '{');
	json_u64("hidden_processes", looks->hidden);
	json_open("wheels", '[');
	for (i = 0; i < looks->count; i++)
		json_wheel(&looks->list[i]);
	json_close(']');
	json_close('}');
}

static void list_wheels(void)
{
	struct looks looks;

	looks_take(&looks, 0, NEVER);
	if (globals.json)
		json_wheels(&looks);
	else
		print_wheels(&looks);
	print_hidden(stderr, "wheelctl: ", looks.hidden, "\n");
	looks_free(&looks);
}

static int run(const char *none)
{
	(void)none;
	if (!requested.pid && (requested.fd != NEVER || requested.limit != NEVER))
		fail(EXIT_USAGE, "list: --%s requires --pid",
		     requested.fd != NEVER ? "fd" : "limit");
	if (requested.pid)
		list_process();
	else
		list_wheels();
	return 0;
}

const struct command list_command = {
	.name = "list",
	.summary = "list the wheels of this machine, or the timers of a process",
	.details =
	"Lists the wheels that the processes of this machine hold. With --pid, lists the\n"
	"pending timers of the wheels of one process by slot, using a duplicate of the\n"
	"descriptor. This requires the right to trace the process. Timers that are armed\n"
	"or expire at the same time may be missing.",
	.options = options,
	.run = run,
};
