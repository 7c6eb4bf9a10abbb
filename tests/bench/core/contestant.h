/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of the timer implementations that are compared. All of them are
 * single-threaded. An implementation manages the set of timers created last.
 * Earlier sets are never freed.
 */
#ifndef _BENCH_CONTESTANT_H
#define _BENCH_CONTESTANT_H

#include "core/env.h"

/**
 * struct contestant - timer implementation
 * @name: column heading
 * @create: creates @count idle timers, numbered from 0
 * @arm: arms an idle timer for a deadline later than bench_now
 * @rearm: changes the deadline of a pending timer; NULL if only measure_loads() is supported
 * @cancel: cancels a pending timer
 * @advance: calls bench_fire() for each timer that is due at bench_now; NULL if timers
 *	cannot expire
 */
struct contestant {
	const char *name;
	bool (*create)(u32 count);
	void (*arm)(u32 i, u64 deadline);
	void (*rearm)(u32 i, u64 deadline);
	void (*cancel)(u32 i);
	void (*advance)(void);
};

#define __optional	__attribute__((weak))

/* The address is NULL if the implementation is not linked, or its library is not installed. */
extern const struct contestant hashed_default __optional;
extern const struct contestant hashed_large __optional;
extern const struct contestant hierarchical __optional;
extern const struct contestant quaternary_heap __optional;
extern const struct contestant lazy_heap __optional;
extern const struct contestant lazy_ring __optional;
extern const struct contestant word_timers __optional;
extern const struct contestant timeout_queue __optional;
extern const struct contestant plain_field __optional;
extern const struct contestant floor_of_all __optional;
extern const struct contestant red_black_tree __optional;
extern const struct contestant libevent_heap __optional;
extern const struct contestant wahern_wheel __optional;

/* The current time in milliseconds. Only the harness advances it. */
extern u64 bench_now;

extern u32 bench_fired;

static inline void bench_fire(void)
{
	bench_fired++;
}

/* Returns the CPU time of this thread in nanoseconds. */
u64 cpu_ns(void);

#endif
