// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "ktap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const void *ktap_subject;

/* Exit status of a skipped test, which has reported itself. */
#define SKIPPED	4

/* Name of the test that runs in this process, and its number in the report. */
static const char *test_name;
static int test_number;
static void (*explain_failure)(const void *of);
static const void *explained;

/* KTAP_EXPECT() has failed in this process. */
static bool failed;

void ktap_fail(const char *error)
{
	if (test_name) {
		printf("# %s: %s\n", test_name, error);
		if (explain_failure)
			explain_failure(explained);
		fflush(stdout);
	}
	/* Leaks are not checked: a failed test cannot free its memory. */
	_exit(EXIT_FAILURE);
}

void ktap_skip(const char *reason)
{
	printf("ok %d %s # SKIP %s\n", test_number, test_name, reason);
	fflush(stdout);
	_exit(SKIPPED);
}

bool ktap_expect(bool met, const char *file, int line, const char *text)
{
	if (!met) {
		printf("# %s:%d: expected %s\n", file, line, text);
		failed = true;
	}
	return met;
}

void ktap_if_it_fails(void (*explain)(const void *of), const void *of)
{
	explain_failure = explain;
	explained = of;
}

static int status_of(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

int ktap_status_of(void (*run)(const void *with), const void *with, char *printed, size_t size)
{
	size_t length = 0;
	int ends[2], status;
	ssize_t got;
	pid_t pid;

	if (pipe(ends))
		abort();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		run(with);
		_exit(EXIT_SUCCESS);
	}
	close(ends[1]);
	while ((got = read(ends[0], printed + length, size - length - 1)) > 0)
		length += (size_t)got;
	printed[length] = '\0';
	close(ends[0]);
	status = status_of(pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Run a test and report it. Returns false if it failed. */
static bool passes(const struct ktap_test *test, const char *name, int number)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		test_name = name;
		test_number = number;
		test->run();
		exit(failed ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	status = status_of(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		return true;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	printf("%sok %d %s\n", status ? "not " : "", number, name);
	return !status;
}

static bool is_meant(const char *name, const char *const *parts)
{
	const char *const *part;

	for (part = parts; *part; part++)
		if (strstr(name, *part))
			return true;
	return part == parts;
}

/* Only counts the tests if @number is 0. */
static int run_table(const struct ktap_group *group,
		     const struct ktap_test *test, const char *const *parts,
		     int number, int *failures)
{
	char name[100];
	int count = 0;

	for (; test->name; test++) {
		snprintf(name, sizeof(name), "%s%s%s", group->name, *group->name ? "." : "",
			 test->name);
		if (!is_meant(name, parts))
			continue;
		count++;
		if (!number)
			continue;
		*failures += !passes(test, name, number++);
	}
	return count;
}

static int run_groups(const struct ktap_group *group, const char *const *parts,
		      int number, int *failures)
{
	const struct ktap_test *const *table;
	int count = 0;

	for (; group->name; group++) {
		ktap_subject = group->subject;
		for (table = group->tables; *table; table++)
			count += run_table(group, *table, parts,
					   number ? number + count : 0, failures);
	}
	return count;
}

int ktap_run(const struct ktap_group *groups, const char *const *parts)
{
	int failures = 0;

	printf("1..%d\n", run_groups(groups, parts, 0, &failures));
	run_groups(groups, parts, 1, &failures);
	return failures;
}
