// SPDX-License-Identifier: MIT
/*
 * wheelctl list: lists the wheels of this machine, or the pending timers of a process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "look.h"
#include "text.h"
#include "util.h"

#define PAGE	1024

static struct {
	u64 pid;
	u64 fd;
	u64 limit;
	u64 interval;
	const char *user;
	const char *command;
	const char *sort;
} requested = {
	.fd = NEVER,
	.limit = NEVER,
	.sort = "pid",
};

static const struct option_spec options[] = {
	{ "pid", "PID", "list the timers of this process", parse_count, &requested.pid },
	{ "fd", "FD", "list only this descriptor of the process", parse_number, &requested.fd },
	{ "limit", "N", "list at most N timers per wheel", parse_count, &requested.limit },
	{ "sort", "KEY", "sort by pid, user, command, pending, rate, next or memory",
	  parse_string, &requested.sort },
	{ "user", "NAME", "list only the wheels of this user", parse_string, &requested.user },
	{ "command", "NAME", "list only the wheels of this program or module", parse_string,
	  &requested.command },
	{ "interval", "TIME", "measure the rate of timers that are armed", parse_interval,
	  &requested.interval },
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

/**
 * struct row - a wheel in the table
 * @look: its state
 * @rate: number of timers armed per second, NEVER if it was not measured
 */
struct row {
	struct look look;
	u64 rate;
};

static int by_pid(const struct row *a, const struct row *b)
{
	if (a->look.holder.pid != b->look.holder.pid)
		return a->look.holder.pid < b->look.holder.pid ? -1 : 1;
	return (a->look.holder.fd > b->look.holder.fd) - (a->look.holder.fd < b->look.holder.fd);
}

/* The largest value is first, and an unknown one last. */
static int down(u64 a, u64 b)
{
	return (a + 1 < b + 1) - (a + 1 > b + 1);
}

static int by_pending(const struct row *a, const struct row *b)
{
	return down(a->look.stats.pending, b->look.stats.pending);
}

static int by_rate(const struct row *a, const struct row *b)
{
	return down(a->rate, b->rate);
}

static int by_next(const struct row *a, const struct row *b)
{
	return (a->look.next_in > b->look.next_in) - (a->look.next_in < b->look.next_in);
}

static int by_memory(const struct row *a, const struct row *b)
{
	return down(a->look.memory, b->look.memory);
}

static int by_user(const struct row *a, const struct row *b)
{
	return strcmp(a->look.holder.user, b->look.holder.user);
}

static int by_command(const struct row *a, const struct row *b)
{
	return strcmp(a->look.holder.command, b->look.holder.command);
}

static const struct {
	const char *name;
	int (*compare)(const struct row *a, const struct row *b);
} keys[] = {
	{ "pid", by_pid },
	{ "user", by_user },
	{ "command", by_command },
	{ "pending", by_pending },
	{ "rate", by_rate },
	{ "next", by_next },
	{ "memory", by_memory },
};

static size_t key_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys) && strcmp(keys[i].name, name); i++)
		;
	return i;
}

static int compare_rows(const void *a, const void *b)
{
	int order = keys[key_of(requested.sort)].compare(a, b);

	return order ? order : by_pid(a, b);
}

static const char *known(u64 value, struct text text)
{
	static char texts[8][32];
	static unsigned int next;
	char *copy = texts[next++ % ARRAY_SIZE(texts)];

	snprintf(copy, sizeof(texts[0]), "%s", value == NEVER ? "-" : text.s);
	return copy;
}

static void print_wheel(const struct row *row)
{
	const struct look *l = &row->look;
	bool is_module = !l->holder.pid;
	char pid[16] = "-", fd[16] = "-";

	if (!is_module) {
		snprintf(pid, sizeof(pid), "%d", l->holder.pid);
		snprintf(fd, sizeof(fd), "%d", l->holder.fd);
	}
	printf("%7s %4s %-8s %-15s %-12s %-9s %8s %10s %10s", pid, fd, l->holder.user,
	       l->holder.command, scheme_name(l->setup.scheme), clock_name(l->setup.clock),
	       text_duration(l->setup.tick_ns).s,
	       l->setup.timers ? text_count(l->setup.timers).s : "no limit",
	       text_count(l->stats.pending).s);
	if (requested.interval)
		printf(" %10s", known(row->rate, text_count(row->rate)));
	printf(" %10s %10s\n", known(l->next_in, text_time(l->next_in)),
	       known(l->memory, text_count(l->memory / 1024)));
}

static void json_wheel(const struct row *row)
{
	const struct look *look = &row->look;

	json_open(NULL, '{');
	json_holder(look);
	json_string("clock", clock_name(look->setup.clock));
	json_string("scheme", scheme_name(look->setup.scheme));
	json_u64("tick_ns", look->setup.tick_ns);
	json_u64("timers", look->setup.timers);
	json_u64("pending", look->stats.pending);
	json_u64("armed", look->stats.armed);
	if (row->rate != NEVER)
		json_u64("armed_per_second", row->rate);
	if (look->next_in != NEVER)
		json_u64("next_in_ns", look->next_in);
	json_close('}');
}

/* The users whose wheels are shown, with the memory of all of their wheels. */
static void print_users(const struct row *rows, size_t count)
{
	size_t i, j;

	for (i = 0; i < count; i++) {
		const struct look *l = &rows[i].look;

		for (j = 0; j < i; j++)
			if (!strcmp(rows[j].look.holder.user, l->holder.user) &&
			    rows[j].look.user_memory != NEVER)
				break;
		if (j < i || l->user_memory == NEVER)
			continue;
		printf("memory of user %s: %s", l->holder.user,
		       text_count(l->user_memory / 1024).s);
		if (l->user_limit != NEVER)
			printf(" of %s", text_count(l->user_limit / 1024).s);
		puts(" kB");
	}
}

static void print_wheels(const struct row *rows, size_t count)
{
	size_t i;

	if (!count) {
		puts("no wheels");
		return;
	}
	printf("%7s %4s %-8s %-15s %-12s %-9s %8s %10s %10s", "process", "fd", "user", "command",
	       "scheme", "clock", "tick", "capacity", "pending");
	if (requested.interval)
		printf(" %10s", "armed/s");
	printf(" %10s %10s\n", "next in", "kB");
	for (i = 0; i < count; i++)
		print_wheel(&rows[i]);
	print_users(rows, count);
}

static void json_wheels(const struct row *rows, size_t count, u64 hidden)
{
	size_t i;

	json_open(NULL, '{');
	json_u64("hidden_processes", hidden);
	json_open("wheels", '[');
	for (i = 0; i < count; i++)
		json_wheel(&rows[i]);
	json_close(']');
	json_close('}');
}

static bool is_requested(const struct look *l)
{
	return (!requested.user || !strcmp(requested.user, l->holder.user)) &&
	       (!requested.command || !strcmp(requested.command, l->holder.command));
}

static const struct look *find(const struct looks *looks, const struct look *look)
{
	size_t i;

	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];

		if (l->holder.pid == look->holder.pid && l->holder.fd == look->holder.fd &&
		    l->number == look->number && l->stats.armed <= look->stats.armed)
			return l;
	}
	return NULL;
}

static u64 monotonic(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}

static void pause_for(u64 ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC),
	};

	nanosleep(&time, NULL);
}

static void list_wheels(void)
{
	struct looks looks, earlier = { 0 };
	u64 begun = monotonic(), elapsed = 1;
	struct row *rows;
	size_t count = 0;
	size_t i;

	if (requested.interval) {
		looks_take(&earlier, 0, NEVER);
		pause_for(requested.interval);
		elapsed = monotonic() - begun;
	}
	looks_take(&looks, 0, NEVER);
	rows = xcalloc(looks.count, sizeof(*rows));
	for (i = 0; i < looks.count; i++) {
		const struct look *look = &looks.list[i];
		const struct look *before = find(&earlier, look);

		if (!is_requested(look))
			continue;
		rows[count++] = (struct row){
			.look = *look,
			.rate = before ? (u64)((double)(look->stats.armed - before->stats.armed) *
					       NSEC_PER_SEC / (double)elapsed + 0.5) : NEVER,
		};
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_rows);
	if (globals.json)
		json_wheels(rows, count, looks.hidden);
	else
		print_wheels(rows, count);
	print_hidden(stderr, "wheelctl: ", looks.hidden, "\n");
	free(rows);
	looks_free(&looks);
	looks_free(&earlier);
}

static int run(const char *none)
{
	(void)none;
	if (!requested.pid && (requested.fd != NEVER || requested.limit != NEVER))
		fail(EXIT_USAGE, "list: --%s requires --pid",
		     requested.fd != NEVER ? "fd" : "limit");
	if (key_of(requested.sort) == ARRAY_SIZE(keys))
		fail(EXIT_USAGE,
		     "list: --sort %s: not pid, user, command, pending, rate, next or memory",
		     requested.sort);
	if (!strcmp(requested.sort, "rate") && !requested.interval)
		fail(EXIT_USAGE, "list: --sort rate requires --interval");
	if (requested.pid && (requested.interval || requested.user || requested.command ||
			      strcmp(requested.sort, "pid")))
		fail(EXIT_USAGE, "list: --%s is ignored with --pid, which lists timers: omit it",
		     requested.interval ? "interval" : requested.user ? "user" :
		     requested.command ? "command" : "sort");
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
	"Lists the wheels that the processes of this machine hold, and for root those of\n"
	"kernel modules and the time until the next expiry. With --pid, lists the\n"
	"pending timers of the wheels of one process by slot, using a duplicate of the\n"
	"descriptor. This requires the right to trace the process. Timers that are armed\n"
	"or expire at the same time may be missing.",
	.options = options,
	.run = run,
};
