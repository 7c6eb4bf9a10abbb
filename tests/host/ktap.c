// SPDX-License-Identifier: GPL-2.0
#include "ktap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool passes(const struct ktap_test *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		const char *error = test->run();

		if (error)
			printf("# %s: %s\n", test->name, error);
		exit(error ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* With a @number of 0 it only counts. */
static int run_table(const struct ktap_test *test, const char *part,
		     int number, int *failed)
{
	int count = 0;

	for (; test->name; test++) {
		if (!strstr(test->name, part))
			continue;
		count++;
		if (!number)
			continue;
		if (passes(test)) {
			printf("ok %d %s\n", number++, test->name);
		} else {
			printf("not ok %d %s\n", number++, test->name);
			++*failed;
		}
	}
	return count;
}

int ktap_run(const struct ktap_test *const *tables, const char *part)
{
	const struct ktap_test *const *table;
	int failed = 0;
	int count = 0;

	for (table = tables; *table; table++)
		count += run_table(*table, part, 0, NULL);
	printf("1..%d\n", count);
	count = 1;
	for (table = tables; *table; table++)
		count += run_table(*table, part, count, &failed);
	return failed;
}
