// SPDX-License-Identifier: MIT
/*
 * Runs test cases and prints their results in KTAP, the kernel's test protocol.
 */
#include "ktap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool failed;

void ktap_expect(bool met, const char *file, int line, const char *text)
{
	if (met)
		return;
	printf("# %s:%d: expected %s\n", file, line, text);
	failed = true;
}

static unsigned int count(const struct ktap_case *const *suites)
{
	const struct ktap_case *test;
	unsigned int number = 0;

	for (; *suites; suites++)
		for (test = *suites; test->name; test++)
			number++;
	return number;
}

int ktap_run(const struct ktap_case *const *suites)
{
	const struct ktap_case *test;
	unsigned int number = 0;
	bool any_failed = false;

	printf("KTAP version 1\n1..%u\n", count(suites));
	for (; *suites; suites++) {
		for (test = *suites; test->name; test++) {
			failed = false;
			test->run();
			printf("%sok %u %s\n", failed ? "not " : "", ++number, test->name);
			any_failed |= failed;
		}
	}
	return any_failed;
}

int exit_status_of(void (*run)(const void *data), const void *data, char *printed, size_t size)
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
	while ((got = read(ends[0], printed + length, size - length - 1)) > 0)
		length += (size_t)got;
	printed[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
