// SPDX-License-Identifier: GPL-2.0
/*
 * The device fuzzer: makes up programs, and keeps those that go where none went before.
 *
 *	device fuzz SECONDS [PROGRAM...]
 *	device replay PROGRAM...
 *
 * A process of its own runs each program, and may become two. The fuzzer stops, and prints
 * the program, when that process reports a broken promise, cannot be killed, or has tainted
 * the kernel. To be run by root in a guest that is this test's.
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
/* One that still waits then is killed, and has to end. */
#define PATIENCE_MS	200
#define LAST_MS		120000

/* The programs that are worth to be changed, and what was done with them. */
static struct {
	struct program program[CORPUS];
	unsigned int programs;
	unsigned long runs;
	unsigned long edges;
} corpus;

/* A kernel that has complained says so by another number than before. */
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

/* Ended by itself, or because it was killed. */
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

/* Both processes of a program have gone, and neither saw a promise broken. */
static bool all_is_well(pid_t pid)
{
	bool well = true;
	int status;

	if (!has_ended(pid)) {
		fprintf(stderr, "it cannot be killed\n");
		return false;
	}
	kill(-pid, SIGKILL);
	while (waitpid(-pid, &status, __WALL) > 0)
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN)
			well = false;
	return well;
}

/* Ends the fuzzer where something is wrong. Returns how much was new. */
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
	printf("# %lu programs, %lu pairs of places, %u programs kept\n", corpus.runs,
	       corpus.edges, corpus.programs);
	fflush(stdout);
}

/* One of the newest half as often as any. */
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
		fprintf(stderr, "device: %s is no program\n", path);
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
