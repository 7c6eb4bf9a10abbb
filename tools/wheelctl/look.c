// SPDX-License-Identifier: MIT
/*
 * Finds the processes that hold wheels, and reads the state of these wheels.
 *
 * The number of a wheel in fdinfo identifies it in debugfs, which also lists the wheels of kernel
 * modules.
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

/* getpwuid() does not work in programs that are linked statically. */
static void read_user(struct holder *holder)
{
	char path[64], line[256], id[16];
	struct stat status;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d", holder->pid);
	if (stat(path, &status))
		return;
	snprintf(id, sizeof(id), "%u", status.st_uid);
	memcpy(holder->user, id, sizeof(id));
	file = fopen("/etc/passwd", "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *name = strtok(line, ":");
		const char *number = strtok(NULL, ":") ? strtok(NULL, ":") : NULL;

		if (number && !strcmp(number, id))
			snprintf(holder->user, sizeof(holder->user), "%.19s", name);
	}
	if (file)
		fclose(file);
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
	read_user(holder);
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

/* Return RLIMIT_MEMLOCK of a process, NEVER without a limit. */
static u64 locked_memory(int pid)
{
	char path[64], line[256];
	u64 limit = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Max locked memory ", 18))
			continue;
		limit = strstr(line, "unlimited") ? NEVER : strtoull(line + 18, NULL, 10);
	}
	fclose(file);
	return limit;
}

/* The kernel prints KiB. The limit of a user depends on the process, too. */
static void complete_memory(struct look *look)
{
	u64 *const sizes[] = { &look->memory, &look->user_memory, &look->user_limit };
	u64 locked;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (*sizes[i] != NEVER)
			*sizes[i] *= 1024;
	if (look->user_limit == NEVER)
		return;
	locked = locked_memory(look->holder.pid);
	look->user_limit = locked == NEVER ? NEVER : look->user_limit + locked;
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
		{ "wheel",	NULL,		&look->number },
		{ "memory_kb",	NULL,		&look->memory },
		{ "user_memory_kb", NULL,	&look->user_memory },
		{ "user_limit_kb", NULL,	&look->user_limit },
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

bool look_fdinfo(struct look *look, const struct holder *holder)
{
	*look = (struct look){
		.holder = *holder,
		.number = NEVER,
		.next_in = NEVER,
		.memory = NEVER,
		.user_memory = NEVER,
		.user_limit = NEVER,
	};
	if (!read_fdinfo(look))
		return false;
	complete_memory(look);
	return true;
}

/* Before the first timer is armed, only fdinfo is read, because calls set up the wheel. */
bool look_at(struct look *look, const struct holder *holder)
{
	struct device device;
	int fd;

	if (!look_fdinfo(look, holder))
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

void print_title(FILE *to, const struct look *look, void (*put)(FILE *to, const char *text))
{
	bool is_module = !look->holder.pid;

	if (is_module)
		fprintf(to, "kernel module's wheel %llu (", look->number);
	else
		fprintf(to, "process %d (", look->holder.pid);
	put(to, look->holder.command);
	if (is_module)
		putc(')', to);
	else
		fprintf(to, "), descriptor %d", look->holder.fd);
}

static void json_known(const char *key, u64 value)
{
	if (value != NEVER)
		json_u64(key, value);
}

void json_holder(const struct look *look)
{
	json_u64("pid", (u64)look->holder.pid);
	json_string("user", look->holder.user);
	json_string("command", look->holder.command);
	json_u64("fd", (u64)look->holder.fd);
	json_known("wheel", look->number);
	json_known("memory_bytes", look->memory);
	json_known("user_memory_bytes", look->user_memory);
	json_known("user_memory_limit_bytes", look->user_limit);
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

static void take_line(struct listed *w, char *line)
{
	char *value = strchr(line, ':');
	u64 limit = NEVER;
	const struct place places[] = {
		{ "tick",	NULL,		&w->setup.tick_ns },
		{ "buckets",	&w->setup.buckets, NULL },
		{ "limit",	NULL,		&limit },
		{ "now",	NULL,		&w->now },
		{ "next",	NULL,		&w->next },
		{ "armed",	NULL,		&w->stats.armed },
		{ "fired",	NULL,		&w->stats.fired },
		{ "cancelled",	NULL,		&w->stats.cancelled },
		{ "pending",	NULL,		&w->stats.pending },
		{ NULL }
	};
	u64 next = w->next;

	if (!value || !value[1])
		return;
	line += strspn(line, " ");
	value += 2;
	value[strcspn(value, "\n")] = '\0';
	if (!strncmp(line, "name:", 5))
		snprintf(w->name, sizeof(w->name), "%.*s", (int)sizeof(w->name) - 1, value);
	else if (!strncmp(line, "clock:", 6))
		parse_clock(value, &w->setup.clock);
	else if (!strncmp(line, "scheme:", 7))
		parse_scheme(value, &w->setup.scheme);
	else if (!strncmp(line, "busy_of_", 8))
		take_busy(&w->occupancy, line + 8);
	else
		take_fdinfo(places, line);
	/* A wheel has one base per CPU or one. */
	if (next < w->next)
		w->next = next;
	if (limit != NEVER)
		w->setup.timers = limit < WHEEL_MAX_TIMERS ? (u32)limit : WHEEL_MAX_TIMERS;
}

void listing_parse(struct listing *all, FILE *wheels)
{
	struct listed *wheel = NULL;
	char line[1024];

	memset(all, 0, sizeof(*all));
	while (fgets(line, sizeof(line), wheels)) {
		if (strncmp(line, "- wheel:", 8)) {
			if (wheel)
				take_line(wheel, line);
			continue;
		}
		all->list = xreallocarray(all->list, all->count + 1, sizeof(*all->list));
		wheel = &all->list[all->count++];
		*wheel = (struct listed){ .number = strtoull(line + 8, NULL, 10), .next = NEVER };
	}
}

void listing_free(struct listing *all)
{
	free(all->list);
}

static bool is_of_module(const struct listed *w)
{
	return strcmp(w->name, "/dev/wheel");
}

static const struct listed *listed_as(const struct looks *l, u64 number)
{
	size_t i;

	for (i = 0; i < l->listing.count; i++)
		if (l->listing.list[i].number == number)
			return &l->listing.list[i];
	return NULL;
}

static void add_module(struct looks *l, const struct listed *w)
{
	struct look *look;

	l->list = xreallocarray(l->list, l->count + 1, sizeof(*l->list));
	look = &l->list[l->count++];
	*look = (struct look){
		.holder = { .fd = (int)w->number, .user = "kernel" },
		.setup = w->setup,
		.stats = w->stats,
		.number = w->number,
		.memory = NEVER,
		.user_memory = NEVER,
		.user_limit = NEVER,
	};
	memcpy(look->holder.command, w->name, sizeof(look->holder.command));
}

void looks_complete(struct looks *l, bool modules)
{
	size_t i;

	for (i = 0; modules && i < l->listing.count; i++)
		if (is_of_module(&l->listing.list[i]))
			add_module(l, &l->listing.list[i]);
	for (i = 0; i < l->count; i++) {
		const struct listed *w = listed_as(l, l->list[i].number);

		l->list[i].next_in = !w || w->next == NEVER ? NEVER :
				     w->next > w->now ? w->next - w->now : 0;
	}
}

void looks_take(struct looks *l, u64 pid, u64 only_fd)
{
	struct holders holders;
	FILE *wheels;
	size_t i;

	holders_find(&holders, pid, only_fd);
	*l = (struct looks){
		.list = xcalloc(holders.count, sizeof(*l->list)),
		.hidden = holders.hidden,
	};
	for (i = 0; i < holders.count; i++)
		l->count += look_at(&l->list[l->count], &holders.list[i]);
	holders_free(&holders);
	wheels = fopen(DEBUGFS_FILE, "re");
	if (!wheels)
		return;
	setvbuf(wheels, NULL, _IOFBF, 1 << 20);
	listing_parse(&l->listing, wheels);
	fclose(wheels);
	looks_complete(l, !pid);
}

void looks_free(struct looks *l)
{
	listing_free(&l->listing);
	free(l->list);
}

struct occupancy occupancy_of(const struct looks *l, const struct look *look)
{
	const struct listed *w = listed_as(l, look->number);

	return w ? w->occupancy : (struct occupancy){ 0 };
}
