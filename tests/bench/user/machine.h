/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clock, memory and limits of the machine.
 */
#ifndef _BENCH_MACHINE_H
#define _BENCH_MACHINE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>

#define NSEC	1000000000ULL
#define NEVER	(~0ULL)

/* The first argument of the program. */
extern const char *mode;
/* True if the clock counts instructions instead of time. */
extern bool counted;

void die(const char *what) __attribute__((noreturn));

__u64 now(void);
__u64 lap(__u64 start);
struct timespec timespec_of(__u64 ns);
void learn_clock(void);
void wait_quiet(void);

/* Wait for events until @time, or indefinitely if it is NEVER. Returns their number. */
int sleep_on(int epoll, struct epoll_event *events, int count, __u64 time);
/* Returns the time that the processor has been idle. */
__u64 idle_ns(void);

void *allocate(size_t bytes);
__u64 memory_free(void);

#endif
