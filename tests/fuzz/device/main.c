// SPDX-License-Identifier: GPL-2.0
/*
 * The device fuzzer: generates programs, and keeps those that reach new code.
 *
 *	device fuzz SECONDS [PROGRAM...]
 *	device replay PROGRAM...
 *
 * Each program runs in a separate process, which may fork once. The fuzzer prints the program
 * and stops if that process reports a violation, cannot be killed, or has tainted the kernel.
 * Must be run as root, in a guest dedicated to this test.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "../../selftests/wheel_machine.h"
#include <linux/wheel_timer.h>
#include "cover.h"
#include "verbs.h"

#define CORPUS		2048
/* A process that has not ended after this time is killed. */
#define PATIENCE_MS	200
#define LAST_MS		120000

/* The kept programs, and statistics. */
static struct {
	struct program program[CORPUS];
	unsigned int programs;
	unsigned long runs;
	unsigned long edges;
} corpus;

/* Returns the taint flags. They change when the kernel prints a warning. */
static unsigned long taint(void)
{
	static int fd = -1;
	char text[32] = "";

	if (fd < 0)
		fd = open("/proc/sys/kernel/tainted", O_RDONLY);
	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	return strtoul(text, NULL, 10);
}

static void __attribute__((noreturn)) live(const struct program *p)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	verbs_begin();
	cover_begin();
	verbs_run(p);
	_exit(0);
}

/* Wait for the end of a process, and kill it after PATIENCE_MS. Returns false if it remains. */
static bool has_ended(pid_t pid)
{
	struct pollfd end = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	bool ended;

	if (end.fd < 0)
		return true;
	if (!poll(&end, 1, PATIENCE_MS))
		kill(pid, SIGKILL);
	ended = poll(&end, 1, LAST_MS) == 1;
	close(end.fd);
	return ended;
}

/* Check that both processes of a program ended without reporting a violation. */
static bool all_is_well(pid_t pid)
{
	bool well = true;
	int status;

	if (!has_ended(pid)) {
		fprintf(stderr, "the process cannot be killed\n");
		return false;
	}
	kill(-pid, SIGKILL);
	while (waitpid(-pid, &status, __WALL) > 0)
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN)
			well = false;
	return well;
}

/* Run a program, and exit on errors. Returns the number of new edges. */
static unsigned int run(const struct program *p)
{
	unsigned long before = taint();
	unsigned int fresh;
	pid_t pid = fork();

	if (!pid)
		live(p);
	if (pid < 0)
		abort();
	setpgid(pid, pid);
	if (!all_is_well(pid) || taint() != before) {
		printf("found by program %lu:\n", corpus.runs);
		program_print(p, stdout);
		exit(1);
	}
	fresh = cover_take();
	corpus.runs++;
	corpus.edges += fresh;
	return fresh;
}

static void keep(const struct program *p)
{
	if (corpus.programs < CORPUS)
		corpus.program[corpus.programs++] = *p;
}

static void report(void)
{
	printf("# %lu programs, %lu edges, %u programs kept\n", corpus.runs,
	       corpus.edges, corpus.programs);
	fflush(stdout);
}

/* Select a program, with probability 1/2 from the newer half. */
static const struct program *some_program(__u64 *seed)
{
	unsigned int oldest = wt_below(seed, 2) ? corpus.programs / 2 : 0;

	return &corpus.program[oldest + wt_below(seed, corpus.programs - oldest)];
}

static void fuzz(unsigned int seconds)
{
	__u64 seed = wt_seed(), now = wt_now(WHEEL_CLOCK_MONOTONIC);
	__u64 end = now + seconds * WT_SEC, next = now;

	while (now < end) {
		struct program p;

		if (corpus.programs && wt_below(&seed, 16)) {
			p = *some_program(&seed);
			program_change(&p, some_program(&seed), &seed);
		} else {
			program_make(&p, &seed);
		}
		if (run(&p)) {
			keep(&p);
			printf("kept:\n");
			program_print(&p, stdout);
		}
		now = wt_now(WHEEL_CLOCK_MONOTONIC);
		if (now >= next) {
			report();
			next = now + 10 * WT_SEC;
		}
	}
	report();
}

static void load(const char *path)
{
	struct program p;

	if (!program_read(&p, path)) {
		fprintf(stderr, "device: %s is not a valid program\n", path);
		exit(2);
	}
	run(&p);
	keep(&p);
}

int main(int argc, char **argv)
{
	bool fuzzes = argc > 2 && !strcmp(argv[1], "fuzz");
	int i;

	if (!fuzzes && (argc < 3 || strcmp(argv[1], "replay"))) {
		fprintf(stderr, "usage: device fuzz SECONDS [PROGRAM...] | replay PROGRAM...\n");
		return 2;
	}
	if (!cover_open()) {
		fprintf(stderr, "device: this kernel has no KCOV\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (i = 2 + fuzzes; i < argc; i++)
		load(argv[i]);
	if (fuzzes)
		fuzz(strtoul(argv[2], NULL, 10));
	else
		report();
	return 0;
}
