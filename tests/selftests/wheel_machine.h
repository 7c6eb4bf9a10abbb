/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tests need these of the machine: its clocks, processes, modules, and numbers
 * at random.
 */
#ifndef _WHEEL_MACHINE_H
#define _WHEEL_MACHINE_H

#include <stdbool.h>
#include <unistd.h>
#include <sys/types.h>
#include <linux/types.h>

/* How large a page is here, and the largest there is anywhere. */
#define WT_PAGE_MOST	65536

static inline size_t wt_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

#define WT_US		1000ULL
#define WT_MS		1000000ULL
#define WT_SEC		1000000000ULL
#define WT_HOUR		(3600 * WT_SEC)

/* The program's own clock, one of WHEEL_CLOCK_*. */
__u64 wt_now(__u32 clock);
/* Let so many nanoseconds go by, by the events of a timerfd. */
void wt_let_pass(__u64 ns);
/*
 * Set the machine's clock by so much, REALTIME and with it TAI: 0 or a negative
 * errno, EPERM also if env WHEEL_KEEP_CLOCK is there.
 */
int wt_set_clock(__s64 ns);

/* How the child ended: its exit status, or minus the signal. */
int wt_end_of(pid_t pid);

/* Wait until a thread of ours sleeps, by what /proc says of it. */
bool wt_sleeps(pid_t tid);

/* Write a text into a file that is there, of /proc or /sys say. */
bool wt_write_file(const char *path, const char *text);

/* The reference count of the module in /proc/modules, -1: no such line. */
long wt_module_refs(void);

/* Numbers from one seed, which is printed and can be given as env SEED. */
__u64 wt_seed(void);
__u64 wt_random(__u64 *state);
__u64 wt_below(__u64 *state, __u64 limit);

#endif
