/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the tests: clocks, processes, modules and random numbers.
 */
#ifndef _WHEEL_MACHINE_H
#define _WHEEL_MACHINE_H

#include <stdbool.h>
#include <unistd.h>
#include <sys/types.h>
#include <linux/types.h>

/* The largest page size of any supported machine. wt_page() returns the actual size. */
#define WT_PAGE_MOST	65536

static inline size_t wt_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

#define WT_US		1000ULL
#define WT_MS		1000000ULL
#define WT_SEC		1000000000ULL
#define WT_HOUR		(3600 * WT_SEC)

/* Read a clock. @clock is one of WHEEL_CLOCK_* except WHEEL_CLOCK_VIRTUAL. */
__u64 wt_now(__u32 clock);
/* Sleep for @ns nanoseconds, by reading a timerfd. */
void wt_let_pass(__u64 ns);
/* Sleep until this time of CLOCK_MONOTONIC. */
void wt_sleep_until(__u64 time);
/*
 * Add @ns to CLOCK_REALTIME, which also moves CLOCK_TAI. Returns 0 or a negative errno;
 * -EPERM if the environment variable WHEEL_KEEP_CLOCK is set.
 */
int wt_set_clock(__s64 ns);

/* Become another user, who may lock any amount of memory and ends with its parent. */
bool wt_become(uid_t uid);

/* Wait for a child. Returns its exit status, or minus the signal number. */
int wt_end_of(pid_t pid);

/* Wait until a thread of this process sleeps. Returns false if it has exited. */
bool wt_sleeps(pid_t tid);

/* Write a string to an existing file, for example in /proc or /sys. */
bool wt_write_file(const char *path, const char *text);

/* The module's reference count in /proc/modules, or -1 if it is not listed. */
long wt_module_refs(void);

/* A random seed, which is printed. The environment variable SEED overrides it. */
__u64 wt_seed(void);
__u64 wt_random(__u64 *state);
__u64 wt_below(__u64 *state, __u64 limit);

#endif
