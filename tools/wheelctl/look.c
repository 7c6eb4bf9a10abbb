// SPDX-License-Identifier: MIT
/*
 * Finds the processes that hold wheels, and reads the state of these wheels.
 *
 * A wheel in debugfs has a number, but no reference to its file. Its counters identify it,
 * unless the counters of two wheels are equal.
 */
#define _GNU_SOURCE
#include "look.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "text.h"

#define DEBUGFS_FILE	"/sys/kernel/debug/wheel_timer/wheels"

static int compare(const void *a, const void *b)
{
	const struct holder *x = a;
	const struct holder *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->fd > y->fd) - (x->fd < y->fd);
}

static bool is_device(int pid, int fd, dev_t device)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return !stat(path, &status) && S_ISCHR(status.st_mode) && status.st_rdev == device;
}

/* The name of a process can contain any byte. */
static void read_command(struct holder *holder)
{
	char path[64];
	FILE *file;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%d/comm", holder->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(holder->command, sizeof(holder->command), file))
		holder->command[0] = '\0';
	fclose(file);
	holder->command[strcspn(holder->command, "\n")] = '\0';
	for (i = 0; holder->command[i]; i++)
		if (holder->command[i] < ' ' || holder->command[i] > '~')
			holder->command[i] = '?';
}

static void add(struct holders *h, int pid, int fd)
{
	struct holder *holder;

	h->list = xreallocarray(h->list, h->count + 1, sizeof(*h->list));
	holder = &h->list[h->count++];
	memset(holder, 0, sizeof(*holder));
	holder->pid = pid;
	holder->fd = fd;
	read_command(holder);
}

/* Returns 0, or the errno if the process cannot be inspected. */
static int scan(struct holders *h, int pid, u64 only_fd, dev_t device)
{
	struct dirent *entry;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	directory = opendir(path);
	if (!directory)
		return errno;
	while ((entry = readdir(directory))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && (only_fd == NEVER || only_fd == (u64)fd) &&
		    is_device(pid, fd, device))
			add(h, pid, fd);
	}
	closedir(directory);
	return 0;
}

/* The list does not include this process. */
static void scan_all(struct holders *h, dev_t device)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	if (!directory)
		fail(EXIT_DEVICE, "/proc: %s", strerror(errno));
	while ((entry = readdir(directory))) {
		int pid = atoi(entry->d_name);

		if (pid <= 0 || pid == getpid())
			continue;
		if (scan(h, pid, NEVER, device) == EACCES)
			h->hidden++;
	}
	closedir(directory);
}

static void scan_one(struct holders *h, u64 pid, u64 only_fd, dev_t device)
{
	int error = pid > INT_MAX ? ENOENT : scan(h, (int)pid, only_fd, device);

	if (error == ENOENT)
		fail(EXIT_USAGE, "there is no process %llu", pid);
	if (error)
		fail(EXIT_DEVICE, "/proc/%llu/fd: %s (run as root, or as its user)", pid,
		     strerror(error));
	if (!h->count && only_fd != NEVER)
		fail(EXIT_USAGE, "descriptor %llu of process %llu is not %s", only_fd, pid,
		     globals.device);
	if (!h->count)
		fail(EXIT_USAGE, "process %llu does not hold %s", pid, globals.device);
}

void holders_find(struct holders *h, u64 pid, u64 only_fd)
{
	struct stat status;

	memset(h, 0, sizeof(*h));
	device_status(&status);
	if (pid)
		scan_one(h, pid, only_fd, status.st_rdev);
	else
		scan_all(h, status.st_rdev);
	if (h->count)
		qsort(h->list, h->count, sizeof(*h->list), compare);
}

void holders_free(struct holders *h)
{
	free(h->list);
	memset(h, 0, sizeof(*h));
}

int holder_borrow(const struct holder *holder)
{
	int pidfd = (int)syscall(SYS_pidfd_open, holder->pid, 0);
	int fd;

	if (pidfd < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, holder->fd, 0);
	if (fd < 0)
		fd = -errno;
	close(pidfd);
	return fd;
}

void print_hidden(FILE *to, const char *before, u64 hidden, const char *after)
{
	if (hidden)
		fprintf(to, "%s%s process%s of other users may hold wheels: run as root%s",
			before, text_count(hidden).s, hidden == 1 ? "" : "es", after);
}

/* The destination of a line of fdinfo. */
struct place {
	const char *key;
	u32 *number;
	u64 *count;
};

static void take_fdinfo(const struct place *places, char *line)
{
	char *value = strchr(line, ':');

	if (!value)
		return;
	*value++ = '\0';
	for (; places->key; places++) {
		if (strcmp(places->key, line))
			continue;
		if (places->number)
			*places->number = (u32)strtoul(value, NULL, 10);
		else
			*places->count = strtoull(value, NULL, 10);
	}
}

/* Reading fdinfo does not set up the wheel. */
static bool read_fdinfo(struct look *look)
{
	struct wheel_setup *setup = &look->setup;
	struct wheel_stats *stats = &look->stats;
	const struct place places[] = {
		{ "clock",	&setup->clock,	NULL },
		{ "scheme",	&setup->scheme,	NULL },
		{ "tick_ns",	NULL,		&setup->tick_ns },
		{ "timers",	&setup->timers,	NULL },
		{ "buckets",	&setup->buckets, NULL },
		{ "armed",	NULL,		&stats->armed },
		{ "fired",	NULL,		&stats->fired },
		{ "cancelled",	NULL,		&stats->cancelled },
		{ "pending",	NULL,		&stats->pending },
		{ "unread",	NULL,		&stats->unread },
		{ NULL }
	};
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", look->holder.pid, look->holder.fd);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		take_fdinfo(places, line);
	fclose(file);
	return true;
}

/* Before the first timer is armed, only fdinfo is read, because calls set up the wheel. */
bool look_at(struct look *look, const struct holder *holder)
{
	struct device device;
	int fd;

	memset(look, 0, sizeof(*look));
	look->holder = *holder;
	if (!read_fdinfo(look))
		return false;
	if (!look->setup.tick_ns)
		fail(EXIT_DEVICE, "%s: not a wheel, or a module too old for this program",
		     globals.device);
	if (!look->stats.armed)
		return true;
	fd = holder_borrow(holder);
	if (fd == -EBADF || fd == -ESRCH)
		return false;
	if (fd < 0)
		return true;
	device_adopt(&device, fd);
	device_info(&device, &look->setup);
	device_stats(&device, &look->stats);
	device_close(&device);
	look->all = true;
	return true;
}

bool look_is_empty(const struct holder *holder)
{
	struct look look = { .holder = *holder };

	return read_fdinfo(&look) && !look.stats.armed;
}

void looks_take(struct looks *l, u64 pid, u64 only_fd)
{
	struct holders holders;
	size_t i;

	holders_find(&holders, pid, only_fd);
	*l = (struct looks){
		.list = xcalloc(holders.count, sizeof(*l->list)),
		.hidden = holders.hidden,
	};
	for (i = 0; i < holders.count; i++)
		l->count += look_at(&l->list[l->count], &holders.list[i]);
	holders_free(&holders);
}

void looks_free(struct looks *l)
{
	free(l->list);
}

static void take_busy(struct occupancy *o, const char *text)
{
	char *end;

	o->of = (u32)strtoul(text, &end, 10);
	o->groups = 0;
	for (end = strchr(end, '['); end && *end != ']'; o->groups++) {
		if (o->groups == ARRAY_SIZE(o->busy))
			return;
		o->busy[o->groups] = (u32)strtoul(end + 1, &end, 10);
		if (*end != ',' && *end != ']')
			return;
	}
}

static void take_line(struct occupied *w, const char *line, bool *is_of_a_file)
{
	const char *value = strchr(line, ':');

	line += strspn(line, " ");
	if (!value)
		return;
	value += 2;
	if (!strncmp(line, "name:", 5))
		*is_of_a_file = !strncmp(value, "/dev/wheel", 10);
	else if (!strncmp(line, "tick:", 5))
		w->tick = strtoull(value, NULL, 10);
	else if (!strncmp(line, "armed:", 6))
		w->armed = strtoull(value, NULL, 10);
	else if (!strncmp(line, "fired:", 6))
		w->fired = strtoull(value, NULL, 10);
	else if (!strncmp(line, "cancelled:", 10))
		w->cancelled = strtoull(value, NULL, 10);
	else if (!strncmp(line, "busy_of_", 8))
		take_busy(&w->occupancy, line + 8);
}

void occupied_parse(struct occupied_list *all, FILE *wheels)
{
	struct occupied wheel = { 0 };
	bool is_of_a_file = false;
	bool more = true;
	char line[1024];

	memset(all, 0, sizeof(*all));
	while (more) {
		more = fgets(line, sizeof(line), wheels);
		if (more && strncmp(line, "- wheel:", 8)) {
			take_line(&wheel, line, &is_of_a_file);
			continue;
		}
		if (is_of_a_file && wheel.occupancy.groups) {
			all->list = xreallocarray(all->list, all->count + 1, sizeof(*all->list));
			all->list[all->count++] = wheel;
		}
		wheel = (struct occupied){ 0 };
		is_of_a_file = false;
	}
}

/* The file is not needed if no wheel could be read completely. */
void occupied_read(struct occupied_list *all, const struct looks *looks)
{
	size_t count = looks->count;
	FILE *wheels;

	while (count && !looks->list[count - 1].all)
		count--;
	wheels = count ? fopen(DEBUGFS_FILE, "re") : NULL;
	if (!wheels) {
		memset(all, 0, sizeof(*all));
		return;
	}
	setvbuf(wheels, NULL, _IOFBF, 1 << 20);
	occupied_parse(all, wheels);
	fclose(wheels);
}

void occupied_free(struct occupied_list *all)
{
	free(all->list);
}

static bool is_between(u64 number, u64 least, u64 most)
{
	return number >= least && number <= most;
}

static bool fits(const struct occupied *w, const struct look *before, const struct look *after)
{
	return w->tick == after->setup.tick_ns &&
	       is_between(w->armed, before->stats.armed, after->stats.armed) &&
	       is_between(w->fired, before->stats.fired, after->stats.fired) &&
	       is_between(w->cancelled, before->stats.cancelled, after->stats.cancelled);
}

bool occupancy_find(struct occupancy *o, const struct occupied_list *all,
		    const struct look *before, const struct look *after)
{
	u32 found = 0;
	size_t i;

	memset(o, 0, sizeof(*o));
	for (i = 0; i < all->count; i++) {
		if (!fits(&all->list[i], before, after))
			continue;
		*o = all->list[i].occupancy;
		found++;
	}
	if (found != 1)
		o->groups = 0;
	return found == 1;
}

void occupancy_of(struct occupancy *o, const struct occupied_list *all, const struct look *before)
{
	struct look after;

	memset(o, 0, sizeof(*o));
	if (all->count && before->all && look_at(&after, &before->holder))
		occupancy_find(o, all, before, &after);
}
