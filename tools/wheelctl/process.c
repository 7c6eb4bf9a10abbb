// SPDX-License-Identifier: MIT
/*
 * The wheels that another process holds.
 */
#define _GNU_SOURCE
#include "process.h"

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
#include "json.h"
#include "memory.h"

/**
 * struct process - a process and its descriptors of the device
 * @pid: the process
 * @fds: the descriptors, ascending
 * @count: how many
 */
struct process {
	int pid;
	int *fds;
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const int *x = a;
	const int *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_device(int pid, int fd, dev_t device)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return !stat(path, &status) && S_ISCHR(status.st_mode) &&
	       status.st_rdev == device;
}

static void scan(struct process *p, u64 only_fd, dev_t device)
{
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", p->pid);
	folder = opendir(path);
	if (!folder && errno == ENOENT)
		fail(EXIT_ASKED, "there is no process %d", p->pid);
	if (!folder)
		fail(EXIT_DEVICE, "%s: %s (run as root, or as its user)", path,
		     strerror(errno));
	while ((entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' ||
		    (only_fd != NEVER && only_fd != (u64)fd) ||
		    !is_device(p->pid, fd, device))
			continue;
		p->fds = memory_resized(p->fds, p->count + 1, sizeof(*p->fds));
		p->fds[p->count++] = fd;
	}
	closedir(folder);
}

/* Finds the descriptors of the device that a process holds: at least one. */
static void find(struct process *p, u64 pid, u64 only_fd)
{
	struct stat status;

	if (pid > INT_MAX)
		fail(EXIT_ASKED, "there is no process %llu", pid);
	p->pid = (int)pid;
	device_status(&status);
	scan(p, only_fd, status.st_rdev);
	if (!p->count && only_fd != NEVER)
		fail(EXIT_ASKED, "descriptor %llu of process %llu is not %s",
		     only_fd, pid, globals.device);
	if (!p->count)
		fail(EXIT_ASKED, "process %llu does not hold %s", pid,
		     globals.device);
	qsort(p->fds, p->count, sizeof(*p->fds), compare);
}

/**
 * process_each - show the wheels that a process holds
 * @pid: which process
 * @only_fd: this descriptor alone; NEVER: all
 * @show: called for each; for JSON with its object open
 */
void process_each(u64 pid, u64 only_fd, void (*show)(int pid, int fd))
{
	struct process process = { 0 };
	size_t i;

	find(&process, pid, only_fd);
	if (globals.json) {
		json_open(NULL, '{');
		json_u64("pid", pid);
		json_open("wheels", '[');
	}
	for (i = 0; i < process.count; i++) {
		if (globals.json) {
			json_open(NULL, '{');
			json_u64("fd", (u64)process.fds[i]);
		} else {
			printf("%sprocess %d, descriptor %d\n\n", i ? "\n" : "",
			       process.pid, process.fds[i]);
		}
		show(process.pid, process.fds[i]);
		if (globals.json)
			json_close('}');
	}
	if (globals.json) {
		json_close(']');
		json_close('}');
	}
	free(process.fds);
}

/**
 * process_borrow - a descriptor of our own for the same wheel
 * @pid: process
 * @fd: its descriptor
 *
 * Return: the descriptor, or a negative errno.
 */
int process_borrow(int pid, int fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int ours;

	if (pidfd < 0)
		return -errno;
	ours = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (ours < 0)
		ours = -errno;
	close(pidfd);
	return ours;
}

/**
 * process_fdinfo - what the kernel tells about a wheel without opening it
 * @pid: process
 * @fd: its descriptor
 * @show: called for each line
 */
void process_fdinfo(int pid, int fd,
		    void (*show)(const char *key, const char *value))
{
	char path[64];
	char line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	file = fopen(path, "re");
	if (!file)
		fail(EXIT_DEVICE, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\n")] = '\0';
		show(line, value);
	}
	fclose(file);
}
