// SPDX-License-Identifier: MIT
/*
 * A library for LD_PRELOAD that injects faults into writes and syncs, or shifts the wall clock.
 *
 * FAULT_AT=n FAULT_ERRNO=e: from the nth call on, pwrite and fdatasync fail with e.
 * FAULT_AT=n FAULT_KILL=1: the nth call kills the program; a write is done by half.
 * FAULT_HOLD=path: fdatasync waits until path exists; path.held is created while it waits.
 * FAULT_CLOCK=seconds: CLOCK_REALTIME is shifted by this time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

/* Return: true from the nth call on. */
static int is_hit(void)
{
	static long calls;
	long at = number("FAULT_AT");

	return at && ++calls >= at;
}

static int fault(void)
{
	if (number("FAULT_KILL"))
		kill(getpid(), SIGKILL);
	errno = number("FAULT_ERRNO");
	return -1;
}

ssize_t pwrite64(int fd, const void *buffer, size_t count, off64_t at)
{
	ssize_t (*real)(int fd, const void *buffer, size_t count, off64_t at) =
		dlsym(RTLD_NEXT, "pwrite64");

	if (!is_hit())
		return real(fd, buffer, count, at);
	if (number("FAULT_KILL"))
		real(fd, buffer, count / 2, at);
	return fault();
}

ssize_t pwrite(int fd, const void *buffer, size_t count, off_t at)
__attribute__((alias("pwrite64")));

static void hold(const char *gate)
{
	char held[PATH_MAX];

	snprintf(held, sizeof(held), "%s.held", gate);
	close(open(held, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (access(gate, F_OK))
		usleep(1000);
}

int fdatasync(int fd)
{
	int (*real)(int fd) = dlsym(RTLD_NEXT, "fdatasync");
	const char *gate = getenv("FAULT_HOLD");

	if (gate && access(gate, F_OK))
		hold(gate);
	return is_hit() ? fault() : real(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int (*real)(clockid_t clock, struct timespec *now) =
		dlsym(RTLD_NEXT, "clock_gettime");
	int err = real(clock, now);

	if (clock == CLOCK_REALTIME)
		now->tv_sec += number("FAULT_CLOCK");
	return err;
}
