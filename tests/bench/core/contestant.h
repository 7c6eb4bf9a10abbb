/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A contestant is a way to hold timers. All of it is single-threaded. A
 * contestant holds the set that was made last; the others are idle, and end
 * with the program.
 */
#ifndef _BENCH_CONTESTANT_H
#define _BENCH_CONTESTANT_H

#include "core/env.h"

/**
 * struct contestant - a timer structure
 * @name: of the column
 * @create: make @count idle timers, numbered from 0
 * @arm: an idle timer is to fire at a time later than bench_now
 * @rearm: as @arm, of a pending timer
 * @cancel: a pending timer is not to fire
 * @advance: fire what is due at bench_now, by calling bench_fire() for each; NULL: it
 *	is no timer
 */
struct contestant {
	const char *name;
	bool (*create)(u32 count);
	void (*arm)(u32 i, u64 deadline);
	void (*rearm)(u32 i, u64 deadline);
	void (*cancel)(u32 i);
	void (*advance)(void);
};

extern const struct contestant hashed_default;
extern const struct contestant hashed_large;
extern const struct contestant hierarchical;
extern const struct contestant quaternary_heap;
extern const struct contestant kept_timers;
extern const struct contestant timeout_queues;
extern const struct contestant plain_field;
extern const struct contestant floor_of_all;

#define __optional	__attribute__((weak))

/* NULL if a library is not installed. */
extern const struct contestant hierarchical_inline __optional;
extern const struct contestant red_black_tree __optional;
extern const struct contestant libevent_heap __optional;
extern const struct contestant libuv_heap __optional;
extern const struct contestant dpdk_skip_list __optional;
extern const struct contestant wahern_wheel __optional;
extern const struct contestant tokio_wheel __optional;

/* The time, in milliseconds: nothing moves it but the harness. */
extern u64 bench_now;

extern u32 bench_fired;

static inline void bench_fire(void)
{
	bench_fired++;
}

/* Nanoseconds that this thread has had of a CPU. */
u64 cpu_ns(void);

#endif
