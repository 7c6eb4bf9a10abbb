// SPDX-License-Identifier: GPL-2.0
/*
 * P10: the last close frees all resources of a wheel: the module reference and the memory.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define CYCLES	200
/* Number of timers in every twentieth cycle, and in the others. */
#define TIMERS	10000
#define FEW	500
/* Tolerance in kB. A leak of all timers would be at least twice as large. */
#define NOISE	(8L << 10)

FIXTURE(module) {
	long refs;
	long free_kb;
};

/* MemFree and the page cache, in kB. */
static long free_kb(void)
{
	long kb, sum = 0;
	char line[128];
	FILE *f;

	f = fopen("/proc/meminfo", "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemFree: %ld kB", &kb) == 1 ||
		    sscanf(line, "Buffers: %ld kB", &kb) == 1 ||
		    sscanf(line, "Cached: %ld kB", &kb) == 1)
			sum += kb;
	fclose(f);
	return sum;
}

FIXTURE_SETUP(module)
{
	self->refs = wt_module_refs();
	if (self->refs < 0)
		SKIP(return, "wheel_timer is not a module here");
	self->free_kb = free_kb();
}

FIXTURE_TEARDOWN(module)
{
}

/* Each open file holds one module reference. */
WT_TEST(module, p10_leaves_no_trace_of_a_file)
{
	int fds[10], i;

	for (i = 0; i < 10; i++) {
		fds[i] = wt_open(0);
		ASSERT_LE(0, fds[i]);
		EXPECT_EQ(self->refs + i + 1, wt_module_refs());
	}
	for (i = 9; i >= 0; i--) {
		ASSERT_EQ(0, close(fds[i]));
		EXPECT_EQ(self->refs + i, wt_module_refs());
	}
}

/* Pending, fired, cancelled, periodic and stopped timers in one file. */
static int use(int fd, int cycle, __u32 clock)
{
	__u64 now = clock == WHEEL_CLOCK_VIRTUAL ? 0 : wt_now(clock);
	__u32 n = cycle % 20 ? FEW : TIMERS;
	struct wheel_event event;
	__u64 unfired;
	int i;

	if (wt_arm_many(fd, n, 1, now + WT_HOUR) ||
	    wt_arm_every(fd, WHEEL_ID(TIMERS, 1), 1, WT_MS))
		return -1;
	for (i = 0; i < 50; i++)
		if (wt_rearm(fd, WHEEL_ID(i, 1), 1) ||
		    wt_cancel(fd, WHEEL_ID(100 + i, 1)))
			return -1;
	if (clock == WHEEL_CLOCK_VIRTUAL &&
	    (wt_advance(fd, WT_MS, NULL) || wt_read(fd, &event, 1) != 1))
		return -1;
	return cycle & 1 ? wt_stop(fd, &unfired) : 0;
}

/* Returns the number of successful cycles. */
static int cycles(int n, __u32 clock)
{
	int fd, i;

	for (i = 0; i < n; i++) {
		fd = wt_open_clock(clock, TIMERS + 1, WT_MS);
		if (fd < 0 || use(fd, i, clock) || close(fd))
			break;
	}
	return i;
}

/* With a running clock, files are closed while their hrtimer is programmed and passes run. */
WT_TEST(module, p10_leaves_no_trace_of_timers)
{
	static const __u32 clocks[] = { WHEEL_CLOCK_VIRTUAL, WHEEL_CLOCK_MONOTONIC };
	unsigned int i;
	long before;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		/* The first cycles fill caches that the kernel keeps. */
		ASSERT_EQ(4, cycles(4, clocks[i]));
		before = free_kb();
		ASSERT_EQ(CYCLES, cycles(CYCLES, clocks[i]));
		EXPECT_EQ(self->refs, wt_module_refs());
		EXPECT_GT(NOISE, before - free_kb());
	}
}

/* Files that were set up and not used, not set up, or whose SETUP failed. */
WT_TEST(module, p10_leaves_no_trace_of_empty_wheels)
{
	struct wheel_setup setup;
	long before = free_kb();
	int fd, i;

	for (i = 0; i < 2000; i++) {
		setup = (struct wheel_setup){
			.timers = i % 3 ? WHEEL_MAX_TIMERS + 1 : 1 << 16,
		};
		fd = wt_open(0);
		ASSERT_LE(0, fd);
		if (i % 2)
			wt_setup(fd, &setup);
		ASSERT_EQ(0, close(fd));
	}
	EXPECT_EQ(self->refs, wt_module_refs());
	EXPECT_GT(NOISE, before - free_kb());
}

TEST_HARNESS_MAIN
