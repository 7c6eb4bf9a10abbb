// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.h"

/* A loop of known length, with two instructions per iteration. */
#define LOOP_TURNS	2000000L
#define QUIET_TRIES	100

#define SETTLE_TRIES	30
#define SETTLED_PAGES	64

const char *mode;
bool counted;

static __u64 clock_cost;

void die(const char *what)
{
	fprintf(stderr, "bench-user: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

__u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * NSEC + (__u64)time.tv_nsec;
}

/* Returns the time since @start, without the cost of reading the clock. */
__u64 lap(__u64 start)
{
	__u64 ns = now() - start;

	return ns > clock_cost ? ns - clock_cost : 0;
}

struct timespec timespec_of(__u64 ns)
{
	return (struct timespec){ ns / NSEC, ns % NSEC };
}

static __u64 time_loop(void)
{
	long turns = LOOP_TURNS;
	__u64 start = now();

	asm volatile("1: dec %0; jnz 1b" : "+r"(turns));
	return lap(start);
}

/*
 * Wait until a loop takes its expected time, if the clock counts instructions. After boot, and
 * after the exit of a process with much memory, the kernel does other work, which would be included
 * in the results.
 */
void wait_quiet(void)
{
	int quiet = 0;
	int i;

	for (i = 0; counted && i < QUIET_TRIES && quiet < 5; i++) {
		quiet = time_loop() < 2 * LOOP_TURNS + LOOP_TURNS / 50 ? quiet + 1 : 0;
		if (!quiet)
			usleep(50000);
	}
	if (counted && quiet < 5)
		die("the clock does not count instructions, or the guest is never quiet");
}

void learn_clock(void)
{
	__u64 least = ~0ULL;
	int i;

	for (i = 0; i < 1000; i++) {
		__u64 ns = lap(now());

		if (ns < least)
			least = ns;
	}
	clock_cost = least;
}

int sleep_on(int epoll, struct epoll_event *events, int count, __u64 time)
{
	__u64 from = time == NEVER ? 0 : now();
	struct timespec timeout = timespec_of(time > from ? time - from : 0);
	int ready = epoll_pwait2(epoll, events, count, time == NEVER ? NULL : &timeout, NULL);

	if (ready < 0)
		die("epoll_pwait2");
	return ready;
}

/* The sum over all processors. A task that waits in io_uring counts as waiting for a device. */
__u64 idle_ns(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	unsigned long long ns;
	char line[256];
	__u64 sum = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " .idle_sleeptime : %llu", &ns) == 1 ||
		    sscanf(line, " .iowait_sleeptime: %llu", &ns) == 1)
			sum += ns;
	if (!file || !sum)
		die("/proc/timer_list");
	fclose(file);
	return sum;
}

/* Allocate memory that is already mapped, so that its first use causes no page fault. */
void *allocate(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

/* Returns the number of free pages, including those in per-CPU lists. */
static __u64 free_pages(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	unsigned long long pages;
	char line[128];
	__u64 sum = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %llu", &pages) == 1 ||
		    sscanf(line, " count: %llu", &pages) == 1)
			sum += pages;
	if (!file || !sum)
		die("/proc/zoneinfo");
	fclose(file);
	return sum;
}

/* Returns free memory in bytes. Closed files are freed asynchronously: wait for that. */
__u64 memory_free(void)
{
	__u64 before = 0;
	__u64 pages = free_pages();
	int i;

	for (i = 0; i < SETTLE_TRIES && pages > before + SETTLED_PAGES; i++) {
		before = pages;
		sleep(2);
		pages = free_pages();
	}
	return pages * (__u64)sysconf(_SC_PAGESIZE);
}
