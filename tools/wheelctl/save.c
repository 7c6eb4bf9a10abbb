// SPDX-License-Identifier: MIT
/*
 * wheelctl save and restore: the pending timers of a wheel, to a file and back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "fail.h"
#include "json.h"
#include "look.h"
#include "options.h"
#include "parse.h"
#include "pending.h"
#include "text.h"

#define BATCH	1024

static struct {
	u64 pid;
	u64 fd;
} asked = {
	.fd = NEVER,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "the process that holds the wheel", parse_count,
	  &asked.pid },
	{ "fd", "FD", "its descriptor, where it holds several", parse_number,
	  &asked.fd },
	{ NULL }
};

/* Opens the one wheel that is meant. Returns whether nothing was armed on it yet. */
static bool open_wheel(struct device *device, const char *command)
{
	struct holders holders;
	bool empty;
	int fd;

	if (!asked.pid)
		fail(EXIT_ASKED, "%s needs --pid PID: timers belong to an open file",
		     command);
	holders_find(&holders, asked.pid, asked.fd);
	if (holders.count > 1)
		fail(EXIT_ASKED, "process %llu holds %zu wheels: ask for one by --fd, such as %d",
		     asked.pid, holders.count, holders.list[0].fd);
	fd = holder_borrow(&holders.list[0]);
	if (fd < 0)
		fail(EXIT_DEVICE,
		     "process %llu, descriptor %d: %s (needs the right to trace the process)",
		     asked.pid, holders.list[0].fd, strerror(-fd));
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

/*
 * The path of the file that is replaced, which a link may lead to. Root could replace a
 * device, too, and nobody wants that.
 */
static char *file_behind(const char *path)
{
	char *file = realpath(path, NULL);
	struct stat there;

	if (file && !stat(file, &there) && !S_ISREG(there.st_mode) &&
	    !S_ISDIR(there.st_mode))
		fail(EXIT_ASKED, "%s: not a regular file, and it would be replaced by one",
		     path);
	if (!file)
		file = strdup(path);
	if (!file)
		fail(EXIT_DEVICE, "no memory for the name of a file");
	return file;
}

/* Nothing is left behind. */
static void __noreturn write_failed(const char *unfinished, const char *path)
{
	int error = errno;

	unlink(unfinished);
	fail(EXIT_DEVICE, "%s: %s", path, strerror(error));
}

/*
 * The file is the old one or the whole new one, whatever happens. Until it is whole it has a
 * name that no other save takes, and a file of that name is not ours, nor is it a link's.
 */
static void write_file(const struct pending *pending, const char *path)
{
	char unfinished[4096];
	FILE *file;

	if ((size_t)snprintf(unfinished, sizeof(unfinished), "%s.%d.new", path,
			     getpid()) >= sizeof(unfinished))
		fail(EXIT_ASKED, "%s: %s", path, strerror(ENAMETOOLONG));
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

static void tell(const char *verb, u64 count, const char *path)
{
	if (globals.json) {
		json_open(NULL, '{');
		json_string("file", path);
		json_u64(verb, count);
		json_close('}');
	} else {
		printf("%s: %s timer%s %s\n", path, text_count(count).s,
		       count == 1 ? "" : "s", verb);
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
	tell("saved", pending.count, path);
	free(file);
	pending_free(&pending);
	device_close(&device);
	return 0;
}

/* Why an arm was refused. */
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

/* Arms all, and says of those that were refused how the first one was. */
static u64 arm(struct device *device, const struct pending *pending)
{
	struct wheel_op ops[BATCH];
	struct wheel_op first = { 0 };
	u64 refused = 0;
	size_t at, count, i;

	for (at = 0; at < pending->count; at += count) {
		count = pending->count - at < BATCH ? pending->count - at : BATCH;
		memcpy(ops, pending->op + at, count * sizeof(*ops));
		device_submit(device, ops, (u32)count);
		for (i = 0; i < count; i++) {
			if (!ops[i].res)
				continue;
			if (!refused++)
				first = ops[i];
		}
	}
	if (refused)
		fprintf(stderr,
			"wheelctl: %s of %s timers were refused, the first one, of slot %u and generation %llu: %s\n",
			text_count(refused).s, text_count(pending->count).s,
			WHEEL_ID_SLOT(first.id), WHEEL_ID_GEN(first.id),
			reason(-first.res));
	return refused;
}

static int run_restore(const char *path)
{
	struct pending pending;
	struct moment present;
	struct device device;
	u64 refused;

	pending_load(&pending, path);
	open_wheel(&device, "restore");
	if (device.clock != pending.setup.clock)
		fail(EXIT_ASKED, "%s: its timers are of the clock %s, and this wheel has %s",
		     path, clock_name(pending.setup.clock),
		     clock_name(device.clock));
	moment_take(&present, device_now(&device));
	pending_move(&pending, &present);
	refused = arm(&device, &pending);
	tell("restored", pending.count - refused, path);
	pending_free(&pending);
	device_close(&device);
	return refused ? EXIT_DEVICE : 0;
}

const struct command save_command = {
	.name = "save",
	.operand = "FILE",
	.summary = "write the pending timers of a wheel to a file",
	.details =
	"Writes the pending timers of a wheel that a process holds to FILE, which is\n"
	"replaced as a whole. The timers stay as they are. Those that are armed or fire\n"
	"meanwhile may be in it or not. Takes the right to trace the process.",
	.options = options,
	.run = run_save,
};

const struct command restore_command = {
	.name = "restore",
	.operand = "FILE",
	.summary = "arm the timers of such a file on a wheel",
	.details =
	"Arms the timers of a FILE that wheelctl save wrote, with their slots,\n"
	"generations and cookies, on a wheel of the same clock that a process holds. They\n"
	"are due at the same instants, on a clock that began anew with a boot, too.\n"
	"Takes the right to trace the process. A slot that is not free is refused, and so\n"
	"is a generation that is not newer than its last one: the others are armed.",
	.options = options,
	.run = run_restore,
};
