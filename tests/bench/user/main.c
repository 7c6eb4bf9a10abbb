// SPDX-License-Identifier: GPL-2.0
/*
 * bench-user counted|timed|native MAX: measure timer operations of a program with 1000
 * to MAX pending timers, with /dev/wheel and the alternatives. counted: in a guest whose
 * clock counts instructions. native: on User-Mode Linux, where a system call takes 50
 * times as long as elsewhere. Implementations with one system call per operation are
 * therefore left out. If BENCH_CSV is set, each round is also printed as a CSV line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "table.h"

#define SIZES	4

static const struct contestant *const contestants[COLUMNS] = {
	[HASHED]	= &hashed,
	[HIERARCHICAL]	= &hierarchical,
	[TIMERFD]	= &timerfd,
	[POSIX]		= &posix,
	[URING]		= &uring,
	[HEAP]		= &heap,
	[FIELD]		= &field,
};

static bool takes_part(int i, bool native)
{
	return !native || i <= HIERARCHICAL || i >= HEAP;
}

/* Measure in a child process, so that no state is left for the next implementation. */
static void measure_apart(const struct contestant *contestant, __u32 count,
			  struct figures *into[ROUNDS])
{
	pid_t child;
	int status;

	if (contestant->most && count > contestant->most)
		return;
	fflush(stdout);
	child = fork();
	if (!child) {
		measure(contestant, count, into);
		exit(EXIT_SUCCESS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die("fork");
	if (status) {
		printf("bench-user: %s failed with %u timers\n",
		       contestant->name, count);
		exit(EXIT_FAILURE);
	}
}

static void measure_all(__u32 count, bool native,
			struct figures figures[ROUNDS][COLUMNS])
{
	int i;

	for (i = 0; i < COLUMNS; i++) {
		struct figures *into[] = {
			&figures[FASTEST][i], &figures[MIDDLE][i],
			&figures[SLOWEST][i],
		};

		if (takes_part(i, native))
			measure_apart(contestants[i], count, into);
	}
}

static void print_all(struct figures figures[SIZES][ROUNDS][COLUMNS], __u32 max)
{
	__u32 count;
	int size;

	print_head();
	for (size = 0, count = 1000; count <= max && size < SIZES; count *= 10)
		print_rows(count, figures[size++][MIDDLE]);
	if (!counted)
		return;
	printf("\n%8s  %-16s %6s  %-18s %9s      %s\n", "timers", "operation",
	       "batch", "limit", "hashed", "hierarchical");
	for (size = 0, count = 1000; count <= max && size < SIZES; count *= 10)
		print_bars(count, figures[size++][MIDDLE]);
}

int main(int argc, char **argv)
{
	struct figures (*figures)[ROUNDS][COLUMNS];
	__u32 count, max;
	bool native;
	int size;

	if (argc != 3) {
		fprintf(stderr, "usage: bench-user counted|timed|native MAX\n");
		return 2;
	}
	counted = !strcmp(argv[1], "counted");
	native = !strcmp(argv[1], "native");
	max = (__u32)strtoul(argv[2], NULL, 10);
	figures = mmap(NULL, SIZES * sizeof(*figures), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (figures == MAP_FAILED)
		die("mmap");
	learn_clock();
	for (size = 0, count = 1000; count <= max && size < SIZES; count *= 10) {
		measure_all(count, native, figures[size]);
		if (getenv("BENCH_CSV"))
			print_csv(argv[1], count, figures[size]);
		size++;
	}
	print_all(figures, max);
	return 0;
}
