/* SPDX-License-Identifier: MIT */
/*
 * The surroundings that slots/ needs, in a program: the kernel's words, and an engine
 * in place of the kernel's.
 */
#ifndef LIBWHEEL_SLOTS_ENV_H
#define LIBWHEEL_SLOTS_ENV_H

#include <string.h>

#include "engine.h"

/* Memory comes in pieces of this size, whatever a C library says of the machine's. */
#undef PAGE_SIZE
#define PAGE_SIZE	4096

/* That of slots in pieces for 64 of 96 bytes: a shift finds a slot, and no division. */
#define WHEEL_SLOT_PAGE	(64 * 96)

/* It pairs with the release of another thread. */
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* It pairs with the acquire of another thread. */
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

/* Under our lock there is none. */
#define data_race(x)		(x)
#define div64_u64(x, y)		((x) / (y))
#define prefetchw(p)		__builtin_prefetch(p, 1)
#define noinline		__attribute__((noinline))

/* It pairs with the one that a program makes inline. */
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Set bits of what is shared with a program. */
static inline void wheel_slots_or(u64 *bits, u64 set)
{
	__atomic_fetch_or(bits, set, __ATOMIC_SEQ_CST);
}

/* Here nobody reads another's memory by speculation. */
static inline u32 wheel_slots_index(u32 nr, u32 count)
{
	(void)count;
	return nr;
}

/* Nor does anybody trace. */
#define wheel_slots_trace_arm(slot)	((void)(slot))
#define wheel_slots_trace_cancel(slot)	((void)(slot))
#define wheel_slots_trace_event(slot)	((void)(slot))

#endif
