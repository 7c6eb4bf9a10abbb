// SPDX-License-Identifier: GPL-2.0
/*
 * P9, effect on other tasks: a real-time task on the CPU of a burst is woken in time. Its
 * latency is exact only in a guest that counts instructions as time: tests/vm/suites/owner.
 */
#include <kselftest_harness.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "wheel_test.h"

#define MANY		200000
#define PERIOD		(100 * WT_US)
#define LONGEST		(3 * WT_MS)
#define SETUPS		5
/* The longest step of SETUP maps the buckets, 8,517 pages. */
#define LONGEST_SETUP	WT_MS

/* Own a file with a burst of timers, and read all events. */
static void read_burst(int begun)
{
	static struct wheel_event events[4096];
	int fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, MANY, WT_MS);
	int n, got = 0;

	if (fd < 0 || wt_arm_many(fd, MANY, 1, wt_now(WHEEL_CLOCK_MONOTONIC) + WT_SEC) ||
	    write(begun, "", 1) != 1)
		_exit(1);
	while (got < MANY) {
		n = wt_read(fd, events, 4096);
		if (n < 0)
			_exit(1);
		got += n;
	}
	_exit(0);
}

/* Configure and close files of the greatest size. */
static void set_up(int begun)
{
	const struct wheel_setup largest = {
		.flags = WHEEL_SETUP_WORDS, .timers = WHEEL_MAX_TIMERS,
		.buckets = WHEEL_MAX_BUCKETS, .events = WHEEL_MAX_EVENTS,
	};
	int i;

	if (write(begun, "", 1) != 1)
		_exit(1);
	for (i = 0; i < SETUPS; i++) {
		struct wheel_setup setup = largest;
		int fd = wt_open_setup(0, &setup);

		if (fd < 0 || close(fd))
			_exit(1);
	}
	_exit(0);
}

static bool ended(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* Maximum lateness of a wake-up until a process ends. */
static __u64 greatest_latency(pid_t pid)
{
	__u64 next = wt_now(WHEEL_CLOCK_MONOTONIC), greatest = 0, late;

	while (!ended(pid)) {
		next += PERIOD;
		wt_sleep_until(next);
		late = wt_now(WHEEL_CLOCK_MONOTONIC) - next;
		if ((__s64)late > (__s64)greatest)
			greatest = late;
		if ((__s64)late > 0)
			next += late;
	}
	return greatest;
}

/* Maximum latency beside a process that runs a function. Returns ~0 if the process fails. */
static __u64 latency_beside(void (*function)(int begun))
{
	const struct sched_param param = { .sched_priority = 1 };
	__u64 latency;
	int begun[2];
	pid_t pid;
	char byte;

	if (pipe(begun))
		return ~0ULL;
	pid = fork();
	if (!pid)
		function(begun[1]);
	close(begun[1]);
	if (read(begun[0], &byte, 1) != 1 || sched_setscheduler(0, SCHED_FIFO, &param))
		return ~0ULL;
	latency = greatest_latency(pid);
	close(begun[0]);
	return wt_end_of(pid) ? ~0ULL : latency;
}

TEST(p9_no_long_gap_beside_a_burst)
{
	__u64 latency = latency_beside(read_burst);

	TH_LOG("the greatest latency is %llu us", latency / WT_US);
	EXPECT_GE(LONGEST, latency);
}

/* SETUP and close of a large file let other tasks run. */
TEST(p9_no_long_gap_beside_setup)
{
	__u64 latency = latency_beside(set_up);

	TH_LOG("the greatest latency is %llu us", latency / WT_US);
	EXPECT_GE(LONGEST_SETUP, latency);
}

TEST_HARNESS_MAIN
