/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Environment of slots/: the kernel, or user space, where a program provides the engine. Each name
 * that user space defines here is one of the kernel.
 */
#ifndef _WHEEL_SLOTS_ENV_H
#define _WHEEL_SLOTS_ENV_H

#include "../wheel.h"

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/prefetch.h>
#include <linux/string.h>
#include <linux/wheel_timer_owner.h>
#include <asm/page.h>
#include "trace.h"

/* Slots and parameters, and the arrays that are shared with the program, are allocated by pages. */
#define WHEEL_SLOT_PAGE		PAGE_SIZE
#define WHEEL_SHARED_PAGE	PAGE_SIZE

/* Set bits in memory that is shared with a program. Implies no barrier. */
static inline void wheel_slots_or(u64 *bits, u64 set)
{
	atomic64_or(set, (atomic64_t *)bits);
}

#else

#include <assert.h>
#include <linux/wheel_timer.h>
#include <string.h>

#define WHEEL_SLOT_PAGE		4096
/* Each array that is shared with the program is mapped as a whole. */
#define WHEEL_SHARED_PAGE	(WHEEL_MAX_TIMERS * sizeof(u64))

/* Pairs with the release by another thread. */
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* Pairs with the acquire by another thread. */
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
/* Pairs with the full barriers in the inline functions of the program. */
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new)						\
({									\
	__auto_type _p = (p);						\
	__typeof__(*_p) _was = (old);					\
									\
	__atomic_compare_exchange_n(_p, &_was, new, 0, __ATOMIC_SEQ_CST, \
				    __ATOMIC_SEQ_CST);			\
	_was;								\
})

#define div64_u64(x, y)		((x) / (y))
#define prefetchw(p)		__builtin_prefetch(p, 1)
#define noinline		__attribute__((noinline))

/* Speculative reads need no protection: the memory belongs to the process. */
#define array_index_nospec(nr, count)	((void)(count), (nr))

static inline void wheel_slots_or(u64 *bits, u64 set)
{
	__atomic_fetch_or(bits, set, __ATOMIC_SEQ_CST);
}

#define trace_wheel_dev_arm(slots, slot)	((void)(slots), (void)(slot))
#define trace_wheel_dev_cancel(slots, slot)	((void)(slots), (void)(slot))
#define trace_wheel_dev_event(slots, slot)	((void)(slots), (void)(slot))

/* The engine, as in include/linux/wheel_timer_owner.h; the program implements it. */
struct wheel;

u64 wheel_limit_of(u32 scheme);
u32 wheel_buckets_for(u32 scheme, u32 requested, u64 limit);
void wheel_scan_at(struct wheel *wheel, u64 time);
void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel, wheel_timer_fn function);
int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_cancel_locked(struct wheel_timer *timer);

#endif

#endif
