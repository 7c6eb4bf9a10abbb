// SPDX-License-Identifier: MIT
/*
 * shifted PROGRAM [ARGUMENT...]: runs it in a time namespace whose clocks are an
 * hour ahead.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x00000080
#endif

static int shift(void)
{
	static const char offsets[] = "monotonic 3600 0\nboottime 3600 0\n";
	int fd, err;

	if (unshare(CLONE_NEWTIME))
		return -1;
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	err = write(fd, offsets, strlen(offsets)) < 0 ? -1 : 0;
	close(fd);
	return err;
}

/* Only children are in the namespace. */
int main(int argc, char **argv)
{
	int status;

	if (argc < 2 || shift()) {
		perror("time namespace");
		return 99;
	}
	if (!fork()) {
		execv(argv[1], argv + 1);
		_exit(99);
	}
	return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
