/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that the measurements share. */
#ifndef _BENCH_HARNESS_H
#define _BENCH_HARNESS_H

#include <stdio.h>
#include <valgrind/callgrind.h>

#include "contestant.h"

#define MAX_DELAY	100000

/* True if callgrind counts instructions. No time is measured then. */
extern bool counting;

void die(const char *why) __attribute__((noreturn));
u32 random_below(u32 limit);
void fire_at(const struct contestant *c, u64 now);

void measure_operations(const struct contestant *c, u32 timers);
void measure_loads(const struct contestant *c);
void measure_idle(const struct contestant *c, u32 timers, u32 postponements);

static inline u64 begin(void)
{
	if (!counting)
		return cpu_ns();
	CALLGRIND_ZERO_STATS;
	return 0;
}

/* Returns the time since begin(), or dumps the instructions of @ops operations. */
static inline u64 end(u64 start, const char *cell, u64 ops)
{
	char name[144];

	if (!counting)
		return cpu_ns() - start;
	snprintf(name, sizeof(name), "%.96s,instructions,%llu", cell, (unsigned long long)ops);
	CALLGRIND_DUMP_STATS_AT(name);
	return 0;
}

#endif
