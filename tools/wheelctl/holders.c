// SPDX-License-Identifier: MIT
/*
 * The processes that hold wheels.
 */
#define _GNU_SOURCE
#include "holders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "fail.h"
#include "memory.h"
#include "text.h"

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
	return !stat(path, &status) && S_ISCHR(status.st_mode) &&
	       status.st_rdev == device;
}

/* A process may call itself anything. */
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

	h->list = memory_resized(h->list, h->count + 1, sizeof(*h->list));
	holder = &h->list[h->count++];
	memset(holder, 0, sizeof(*holder));
	holder->pid = pid;
	holder->fd = fd;
	read_command(holder);
}

/* Returns 0 or the errno for which we cannot look into the process. */
static int scan(struct holders *h, int pid, u64 only_fd, dev_t device)
{
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return errno;
	while ((entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' &&
		    (only_fd == NEVER || only_fd == (u64)fd) &&
		    is_device(pid, fd, device))
			add(h, pid, fd);
	}
	closedir(folder);
	return 0;
}

static void scan_all(struct holders *h, dev_t device)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	if (!folder)
		fail(EXIT_DEVICE, "/proc: %s", strerror(errno));
	while ((entry = readdir(folder))) {
		int pid = atoi(entry->d_name);

		/* Of our own wheels there is nothing to be told. */
		if (pid <= 0 || pid == getpid())
			continue;
		if (scan(h, pid, NEVER, device) == EACCES)
			h->hidden++;
	}
	closedir(folder);
}

static void scan_one(struct holders *h, u64 pid, u64 only_fd, dev_t device)
{
	int error = pid > INT_MAX ? ENOENT :
				    scan(h, (int)pid, only_fd, device);

	if (error == ENOENT)
		fail(EXIT_ASKED, "there is no process %llu", pid);
	if (error)
		fail(EXIT_DEVICE, "/proc/%llu/fd: %s (run as root, or as its user)",
		     pid, strerror(error));
	if (!h->count && only_fd != NEVER)
		fail(EXIT_ASKED, "descriptor %llu of process %llu is not %s",
		     only_fd, pid, globals.device);
	if (!h->count)
		fail(EXIT_ASKED, "process %llu does not hold %s", pid,
		     globals.device);
}

/**
 * holders_find - find descriptors of the device
 * @h: set up
 * @pid: of this process, which must have one; 0: of all
 * @only_fd: this descriptor alone; NEVER: all
 */
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

/**
 * holders_tell_hidden - say on stderr that there may be more
 * @h: found
 */
void holders_tell_hidden(const struct holders *h)
{
	if (h->hidden)
		fprintf(stderr,
			"wheelctl: %s process%s of others may hold wheels, too: run as root to see\n",
			text_count(h->hidden).s, h->hidden == 1 ? "" : "es");
}

void holders_free(struct holders *h)
{
	free(h->list);
	memset(h, 0, sizeof(*h));
}

/**
 * holder_borrow - a descriptor of our own for the same wheel
 * @holder: who has it
 *
 * Return: the descriptor, or a negative errno.
 */
int holder_borrow(const struct holder *holder)
{
	int pidfd = (int)syscall(SYS_pidfd_open, holder->pid, 0);
	int ours;

	if (pidfd < 0)
		return -errno;
	ours = (int)syscall(SYS_pidfd_getfd, pidfd, holder->fd, 0);
	if (ours < 0)
		ours = -errno;
	close(pidfd);
	return ours;
}
