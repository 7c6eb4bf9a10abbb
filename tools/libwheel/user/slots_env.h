/* SPDX-License-Identifier: MIT */
/*
 * The environment of slots/ in user space: definitions of kernel macros, and an engine that
 * replaces that of the kernel.
 */
#ifndef LIBWHEEL_SLOTS_ENV_H
#define LIBWHEEL_SLOTS_ENV_H

#include <string.h>

#include "engine.h"

/* Each array that is shared with the program is mapped as a whole, like one page. */
#undef PAGE_SIZE
#define PAGE_SIZE	(WHEEL_MAX_TIMERS * sizeof(u64))

/* 64 slots of 96 bytes: a slot is found with a shift instead of a division. */
#define WHEEL_SLOT_PAGE	(64 * 96)

/* Pairs with the release by another thread. */
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* Pairs with the acquire by another thread. */
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

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

/* The lock of the wheel prevents data races. */
#define data_race(x)		(x)
#define div64_u64(x, y)		((x) / (y))
#define prefetchw(p)		__builtin_prefetch(p, 1)
#define noinline		__attribute__((noinline))

/* Pairs with the full barriers in the inline functions of the program. */
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Set bits in memory that is shared with the program. */
static inline void wheel_slots_or(u64 *bits, u64 set)
{
	__atomic_fetch_or(bits, set, __ATOMIC_SEQ_CST);
}

/* Speculative reads need no protection here: the memory belongs to the process. */
static inline u32 wheel_slots_index(u32 nr, u32 count)
{
	(void)count;
	return nr;
}

/* No tracepoints in user space. */
#define wheel_slots_trace_arm(slot)	((void)(slot))
#define wheel_slots_trace_cancel(slot)	((void)(slot))
#define wheel_slots_trace_event(slot)	((void)(slot))

#endif
