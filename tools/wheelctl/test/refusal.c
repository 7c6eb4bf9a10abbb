// SPDX-License-Identifier: MIT
/*
 * Code that ends the program, run in a process of its own.
 */
#include "refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * refusal_of - run what may end the program
 * @run: may do so
 * @data: given to it
 * @said: what it says on stderr
 * @size: of @said
 *
 * Return: the exit status, 0 when it came back.
 */
int refusal_of(void (*run)(const void *data), const void *data, char *said,
	       size_t size)
{
	size_t length = 0;
	int ends[2];
	ssize_t got;
	pid_t child;
	int status;

	if (pipe(ends))
		abort();
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		run(data);
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + length, size - length - 1)) > 0)
		length += (size_t)got;
	said[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
