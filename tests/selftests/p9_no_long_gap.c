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

TEST(p9_no_long_gap_beside_a_burst)
{
	const struct sched_param param = { .sched_priority = 1 };
	__u64 latency;
	int begun[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(begun));
	pid = fork();
	if (!pid)
		read_burst(begun[1]);
	close(begun[1]);
	ASSERT_EQ(1, read(begun[0], &byte, 1));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &param));
	latency = greatest_latency(pid);
	EXPECT_EQ(0, wt_end_of(pid));
	TH_LOG("the greatest latency is %llu us", latency / WT_US);
	EXPECT_GE(LONGEST, latency);
}

TEST_HARNESS_MAIN
