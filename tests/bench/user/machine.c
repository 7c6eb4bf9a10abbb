// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine.h"

/* A loop of known length; two instructions a turn. */
#define LOOP_TURNS	2000000L
#define QUIET_TRIES	100

/* A user without privileges. */
#define NOBODY		65534

#define SETTLE_TRIES	30
#define SETTLED_PAGES	64

bool counted;

static __u64 clock_cost;

void die(const char *what)
{
	printf("bench-user: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

__u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * NSEC + (__u64)time.tv_nsec;
}

/* Since @start, without what it takes to read the clock. */
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

/* With counted instructions the loop's time is known beforehand. */
static bool loop_was_alone(__u64 ns, __u64 before)
{
	if (counted)
		return ns < 2 * LOOP_TURNS + LOOP_TURNS / 50;
	return ns < before + before / 20 && before < ns + ns / 20;
}

/*
 * After boot, and after a process that had much to free, the kernel has work of its
 * own, which would be counted as ours: wait until a loop takes what it has to.
 */
void wait_quiet(void)
{
	__u64 before = 0;
	int quiet = 0;
	int i;

	for (i = 0; i < QUIET_TRIES && quiet < 5; i++) {
		__u64 ns = time_loop();

		quiet = loop_was_alone(ns, before) ? quiet + 1 : 0;
		before = ns;
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

/* Touched, so that using it costs no page fault. */
void *allocate(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

/* Free pages, and those that a processor keeps at hand. */
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

/* In bytes. A closed file is freed by and by: wait until nothing more comes. */
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

static void write_number(const char *path, __u64 number)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%llu\n", number) < 0 || fclose(file))
		die(path);
}

/* Let this process have so many files, watches and signals. */
void allow(__u32 count)
{
	struct rlimit limit = { count + 1000, count + 1000 };

	write_number("/proc/sys/fs/file-max", 2 * (__u64)count + 100000);
	write_number("/proc/sys/fs/nr_open", (__u64)count + 100000);
	write_number("/proc/sys/fs/epoll/max_user_watches", (__u64)count + 1000);
	if (setrlimit(RLIMIT_NOFILE, &limit) ||
	    setrlimit(RLIMIT_SIGPENDING, &limit))
		die("setrlimit");
}

/* From now on this process is an ordinary user's, who may have as much memory as it takes. */
void become_ordinary(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &all) || setgid(NOBODY) || setuid(NOBODY))
		die("setuid");
}
