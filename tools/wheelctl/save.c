// SPDX-License-Identifier: MIT
/*
 * wheelctl save and restore: write the pending timers of a wheel to a file, and arm them again.
 *
 * After a comment, a file contains these lines:
 *
 *	wheel,clock,scheme,tick_ns,timers
 *	moment,now_ns,wall_ns,boot
 *	timer,slot,generation,deadline_ns,slack_ns,period_ns,cookie,word
 *	...
 *	end,timers,crc32
 *
 * The word is 1 for a timer with a word, and 0 otherwise. The checksum includes all lines before
 * the last one. A file without the last line is incomplete.
 */
#define _GNU_SOURCE
#include "save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "look.h"
#include "text.h"

#define BATCH	1024
#define HEAD	"# pending timers of a wheel, as wheelctl save writes them"

static struct {
	u64 pid;
	u64 fd;
} requested = {
	.fd = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "the process that holds the wheel", parse_count, &requested.pid },
	{ "fd", "FD", "its descriptor, if it holds several wheels", parse_number, &requested.fd },
	{ NULL }
};

void pending_add(struct pending *p, const struct wheel_op *op)
{
	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		p->op = xreallocarray(p->op, p->room, sizeof(*p->op));
	}
	p->op[p->count++] = *op;
}

void pending_free(struct pending *p)
{
	free(p->op);
	memset(p, 0, sizeof(*p));
}

static u32 put(FILE *file, u32 crc, const char *line)
{
	fputs(line, file);
	return (u32)crc32(crc, (const Bytef *)line, (uInt)strlen(line));
}

void pending_write(const struct pending *p, FILE *file)
{
	char line[256];
	size_t i;
	u32 crc;

	crc = put(file, 0, HEAD "\n");
	snprintf(line, sizeof(line), "wheel,%s,%s,%llu,%u\n", clock_name(p->setup.clock),
		 scheme_name(p->setup.scheme), p->setup.tick_ns, p->setup.timers);
	crc = put(file, crc, line);
	snprintf(line, sizeof(line), "moment,%llu,%llu,%s\n", p->moment.now, p->moment.wall,
		 p->moment.boot);
	crc = put(file, crc, line);
	for (i = 0; i < p->count; i++) {
		const struct wheel_op *op = &p->op[i];

		snprintf(line, sizeof(line), "timer,%u,%llu,%llu,%llu,%llu,%llu,%u\n",
			 WHEEL_ID_SLOT(op->id), WHEEL_ID_GEN(op->id), op->when, op->slack,
			 op->period, op->cookie, op->flags & WHEEL_OP_WORD ? 1 : 0);
		crc = put(file, crc, line);
	}
	fprintf(file, "end,%zu,%08x\n", p->count, crc);
}

/* A field's text is checked by the checksum, apart from its length. */
static bool take_wheel(struct pending *p, const char *line)
{
	char clock[16], scheme[16];

	return sscanf(line, "wheel,%15[a-z],%15[a-z],%llu,%u", clock, scheme,
		      &p->setup.tick_ns, &p->setup.timers) == 4 &&
	       !parse_clock(clock, &p->setup.clock) && !parse_scheme(scheme, &p->setup.scheme);
}

static bool take_moment(struct pending *p, const char *line)
{
	return sscanf(line, "moment,%llu,%llu,%39[0-9a-f-]", &p->moment.now, &p->moment.wall,
		      p->moment.boot) == 3;
}

static bool take_timer(struct pending *p, const char *line)
{
	struct wheel_op op = { .op = WHEEL_OP_ARM };
	unsigned int slot, word;
	unsigned long long gen;

	if (sscanf(line, "timer,%u,%llu,%llu,%llu,%llu,%llu,%u", &slot, &gen, &op.when,
		   &op.slack, &op.period, &op.cookie, &word) != 7 ||
	    slot >= WHEEL_MAX_TIMERS || word > 1 || op.when > WHEEL_MAX_TIME)
		return false;
	op.id = WHEEL_ID(slot, gen);
	op.flags = word ? WHEEL_OP_WORD : 0;
	pending_add(p, &op);
	return true;
}

static bool take_line(struct pending *p, u32 number, const char *line)
{
	switch (number) {
	case 1:
		return !strcmp(line, HEAD);
	case 2:
		return take_wheel(p, line);
	case 3:
		return take_moment(p, line);
	default:
		return take_timer(p, line);
	}
}

static bool take_end(const char *line, size_t *count, u32 *crc)
{
	int length = 0;

	return sscanf(line, "end,%zu,%8x%n", count, crc, &length) == 2 && !line[length];
}

void pending_load(struct pending *p, const char *path)
{
	struct lines lines;
	bool ended = false;

	memset(p, 0, sizeof(*p));
	lines_open(&lines, path);
	while (lines_next(&lines)) {
		size_t count;
		u32 stated;

		if (ended)
			lines_reject(&lines, "text after the end");
		ended = lines.number > 3 && take_end(lines.text, &count, &stated);
		if (ended && (count != p->count || stated != lines.before))
			lines_reject(&lines, "the file was changed");
		if (!ended && !take_line(p, lines.number, lines.text))
			lines_reject(&lines, "not in the format of wheelctl save");
	}
	lines_close(&lines);
	if (!ended)
		fail(EXIT_USAGE, "%s: the end is missing: the file is incomplete", path);
}

static void moment_take(struct moment *m, u64 now)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct timespec wall;

	memset(m, 0, sizeof(*m));
	m->now = now;
	clock_gettime(CLOCK_REALTIME, &wall);
	m->wall = (u64)wall.tv_sec * NSEC_PER_SEC + (u64)wall.tv_nsec;
	if (!file || fscanf(file, "%39[0-9a-f-]", m->boot) != 1)
		m->boot[0] = '-';
	if (file)
		fclose(file);
}

/* The sum of a time and a signed duration, limited to the range of the clock. */
static u64 moved(u64 a, __s64 by)
{
	if (by < 0)
		return a > -(u64)by ? a - -(u64)by : 0;
	return (u64)by > WHEEL_MAX_TIME - a ? WHEEL_MAX_TIME : a + (u64)by;
}

void pending_move(struct pending *p, const struct moment *to)
{
	bool from_boot = p->setup.clock == WHEEL_CLOCK_MONOTONIC ||
			 p->setup.clock == WHEEL_CLOCK_BOOTTIME;
	u64 passed = to->wall - p->moment.wall;
	__s64 by = (__s64)(to->now - p->moment.now - passed);
	size_t i;

	if (from_boot && strcmp(p->moment.boot, to->boot))
		for (i = 0; i < p->count; i++)
			p->op[i].when = moved(p->op[i].when, by);
}

/* Open the selected wheel. Returns true if no timer was ever armed. */
static bool open_wheel(struct device *device, const char *command)
{
	struct holders holders;
	bool empty;
	int fd;

	if (!requested.pid)
		fail(EXIT_USAGE, "%s requires --pid PID: timers belong to an open file", command);
	holders_find(&holders, requested.pid, requested.fd);
	if (holders.count > 1)
		fail(EXIT_USAGE, "process %llu holds %zu wheels: select one with --fd, such as %d",
		     requested.pid, holders.count, holders.list[0].fd);
	fd = holder_borrow(&holders.list[0]);
	if (fd < 0)
		fail(EXIT_DEVICE,
		     "process %llu, descriptor %d: %s (requires the right to trace the process)",
		     requested.pid, holders.list[0].fd, strerror(-fd));
	device_adopt(device, fd);
	empty = look_is_empty(&holders.list[0]);
	holders_free(&holders);
	return empty;
}

static void list(struct device *device, struct pending *pending, bool empty)
{
	static struct wheel_op ops[BATCH];
	u32 cursor = 0;
	u32 count, i;

	device_info(device, &pending->setup);
	moment_take(&pending->moment, device_now(device));
	if (empty)
		return;
	do {
		count = device_list(device, ops, BATCH, &cursor);
		for (i = 0; i < count; i++)
			pending_add(pending, &ops[i]);
	} while (count);
}

/* Resolve links. A device or a pipe is not replaced with a file, even for root. */
static char *file_behind(const char *path)
{
	char *file = realpath(path, NULL);
	struct stat status;

	if (file && !stat(file, &status) && !S_ISREG(status.st_mode) &&
	    !S_ISDIR(status.st_mode))
		fail(EXIT_USAGE, "%s: not a regular file, and it would be replaced with one", path);
	if (!file)
		file = strdup(path);
	if (!file)
		fail(EXIT_DEVICE, "no memory for the name of a file");
	return file;
}

static void __noreturn write_failed(const char *unfinished, const char *path)
{
	int error = errno;

	unlink(unfinished);
	fail(EXIT_DEVICE, "%s: %s", path, strerror(error));
}

/*
 * Replace a file atomically. The temporary name is unique to this process; an existing file or
 * link of that name belongs to another program.
 */
static void write_file(const struct pending *pending, const char *path)
{
	char unfinished[4096];
	FILE *file;

	if ((size_t)snprintf(unfinished, sizeof(unfinished), "%s.%d.new", path, getpid()) >=
	    sizeof(unfinished))
		fail(EXIT_USAGE, "%s: %s", path, strerror(ENAMETOOLONG));
	file = fopen(unfinished, "wxe");
	if (!file)
		fail(EXIT_DEVICE, "%s: %s", unfinished, strerror(errno));
	pending_write(pending, file);
	if (fflush(file) || fsync(fileno(file)) || ferror(file))
		write_failed(unfinished, unfinished);
	fclose(file);
	if (rename(unfinished, path))
		write_failed(unfinished, path);
}

static void report(const char *verb, u64 count, const char *path)
{
	if (globals.json) {
		json_open(NULL, '{');
		json_string("file", path);
		json_u64(verb, count);
		json_close('}');
	} else {
		printf("%s: %s timer%s %s\n", path, text_count(count).s, count == 1 ? "" : "s",
		       verb);
	}
}

static int run_save(const char *path)
{
	struct pending pending = { 0 };
	struct device device;
	bool empty;
	char *file;

	empty = open_wheel(&device, "save");
	file = file_behind(path);
	list(&device, &pending, empty);
	write_file(&pending, file);
	report("saved", pending.count, path);
	free(file);
	pending_free(&pending);
	device_close(&device);
	return 0;
}

static const char *reason(int error)
{
	switch (error) {
	case EBUSY:
		return "its slot is in use";
	case ESTALE:
		return "its slot has had this generation or a newer one";
	case EINVAL:
		return "the wheel has no such slot";
	default:
		return strerror(error);
	}
}

/* Arm all timers. Returns the number of rejected timers and reports the first one. */
static u64 arm(struct device *device, const struct pending *pending)
{
	struct wheel_op ops[BATCH];
	struct wheel_op first = { 0 };
	u64 rejected = 0;
	size_t at, count, i;

	for (at = 0; at < pending->count; at += count) {
		count = pending->count - at < BATCH ? pending->count - at : BATCH;
		memcpy(ops, pending->op + at, count * sizeof(*ops));
		device_submit(device, ops, (u32)count);
		for (i = 0; i < count; i++)
			if (ops[i].res && !rejected++)
				first = ops[i];
	}
	if (rejected)
		fprintf(stderr,
			"wheelctl: %s of %s timers were rejected, the first one, of slot %u and generation %llu: %s\n",
			text_count(rejected).s, text_count(pending->count).s,
			WHEEL_ID_SLOT(first.id), WHEEL_ID_GEN(first.id), reason(-first.res));
	return rejected;
}

static int run_restore(const char *path)
{
	struct pending pending;
	struct moment now;
	struct device device;
	u64 rejected;

	pending_load(&pending, path);
	open_wheel(&device, "restore");
	if (device.clock != pending.setup.clock)
		fail(EXIT_USAGE, "%s: the clock of the timers is %s, and that of this wheel is %s",
		     path, clock_name(pending.setup.clock), clock_name(device.clock));
	moment_take(&now, device_now(&device));
	pending_move(&pending, &now);
	rejected = arm(&device, &pending);
	report("restored", pending.count - rejected, path);
	pending_free(&pending);
	device_close(&device);
	return rejected ? EXIT_DEVICE : 0;
}

const struct command save_command = {
	.name = "save",
	.operand = "FILE",
	.summary = "write the pending timers of a wheel to a file",
	.details =
	"Writes the pending timers of a wheel of another process to FILE, which is\n"
	"replaced atomically. The timers remain pending. Timers that are armed or expire\n"
	"at the same time may be missing. Requires the right to trace the process.",
	.options = options,
	.run = run_save,
};

const struct command restore_command = {
	.name = "restore",
	.operand = "FILE",
	.summary = "arm the timers of such a file on a wheel",
	.details =
	"Arms the timers of a FILE written by wheelctl save on a wheel of another process\n"
	"that uses the same clock. Slots, generations, cookies and the instants at which\n"
	"the timers are due are preserved, even if a boot restarted the clock. A timer is\n"
	"rejected if its slot is not free or its generation is not newer than the last\n"
	"one. Requires the right to trace the process.",
	.options = options,
	.run = run_restore,
};
