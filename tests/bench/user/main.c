// SPDX-License-Identifier: GPL-2.0
/*
 * bench-user counted|timed FROM MAX: measure timer operations of a program with FROM to MAX
 * pending timers, with /dev/wheel and the alternatives. counted: in a guest whose clock
 * counts instructions. Prints a CSV line per sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contestant.h"
#include "machine.h"

static const struct contestant *const contestants[] = {
	&hierarchical, &hashed, &library, &timerfd, &uring, &heap, &lazy_heap, NULL,
};

/* Measure in a child process, so that no state is left for the next implementation. */
static void measure_apart(const struct contestant *c, __u32 count)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		/* Elsewhere, other processes use the machine, too. */
		if (counted)
			measure_sleep(c, count);
		if (c)
			measure(c, count);
		exit(EXIT_SUCCESS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status) {
		fprintf(stderr, "bench-user: %s failed with %u timers\n",
			c ? c->name : "floor", count);
		exit(EXIT_FAILURE);
	}
}

int main(int argc, char **argv)
{
	__u32 count, max;
	size_t i;

	if (argc != 4) {
		fprintf(stderr, "usage: bench-user counted|timed FROM MAX\n");
		return 2;
	}
	mode = argv[1];
	counted = !strcmp(mode, "counted");
	count = (__u32)strtoul(argv[2], NULL, 10);
	max = (__u32)strtoul(argv[3], NULL, 10);
	learn_clock();
	for (; count && count <= max; count *= 10)
		for (i = 0; i < sizeof(contestants) / sizeof(*contestants); i++)
			measure_apart(contestants[i], count);
	return 0;
}
