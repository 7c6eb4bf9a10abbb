// SPDX-License-Identifier: GPL-2.0
#include "ktap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const void *ktap_subject;

/* Name of the test that runs in this process. */
static const char *test_name;
static void (*explain_failure)(const void *of);
static const void *explained;

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

bool ktap_fails(void (*run)(const void *with), const void *with)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		test_name = NULL;
		run(with);
		_exit(EXIT_SUCCESS);
	}
	status = status_of(pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE;
}

static bool passes(const struct ktap_test *test, const char *name)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		test_name = name;
		test->run();
		exit(EXIT_SUCCESS);
	}
	return !status_of(pid);
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
		     int number, int *failed)
{
	char name[100];
	int count = 0;

	for (; test->name; test++) {
		snprintf(name, sizeof(name), "%s.%s", group->name, test->name);
		if (!is_meant(name, parts))
			continue;
		count++;
		if (!number)
			continue;
		if (passes(test, name)) {
			printf("ok %d %s\n", number++, name);
		} else {
			printf("not ok %d %s\n", number++, name);
			++*failed;
		}
	}
	return count;
}

static int run_groups(const struct ktap_group *group, const char *const *parts,
		      int number, int *failed)
{
	const struct ktap_test *const *table;
	int count = 0;

	for (; group->name; group++) {
		ktap_subject = group->subject;
		for (table = group->tables; *table; table++)
			count += run_table(group, *table, parts,
					   number ? number + count : 0, failed);
	}
	return count;
}

int ktap_run(const struct ktap_group *groups, const char *const *parts)
{
	int failed = 0;

	printf("1..%d\n", run_groups(groups, parts, 0, &failed));
	run_groups(groups, parts, 1, &failed);
	return failed;
}
