/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Doorbells: a bit a slot, by which a program says that it has armed a kept timer; and
 * the summary, a bit for each 64 of them. They lie in pages, as touch words do, each there
 * when it was first needed.
 */
#ifndef _WHEEL_SLOTS_BELL_H
#define _WHEEL_SLOTS_BELL_H

#include "word.h"

/* So many slots have their bits in one u64. */
#define WHEEL_BELLS	64

/* The u64 at an index, or NULL: its page is not there. */
static inline u64 *wheel_bells_at(u64 **pages, u32 at)
{
	/* Pairs with the release of the side that brought it: it is filled. */
	u64 *page = smp_load_acquire(&pages[at / WHEEL_WORDS_PER_PAGE]);

	return page ? page + at % WHEEL_WORDS_PER_PAGE : NULL;
}

/* Are the pages there that the bit of a slot needs? */
static inline bool wheel_bell_ready(const struct wheel_slots *slots, u32 nr)
{
	nr = wheel_slots_index(nr, slots->setup.timers);
	return wheel_bells_at(slots->keep.bells, nr / WHEEL_BELLS) &&
	       wheel_bells_at(slots->keep.summary, nr / WHEEL_BELLS / WHEEL_BELLS);
}

static inline void wheel_bells_set(u64 *bells, u64 bits)
{
	if ((READ_ONCE(*bells) & bits) != bits)
		wheel_slots_or(bells, bits);
}

/*
 * Set bits of slots whose pages are there. The summary comes last: a look, which takes it
 * first, finds what it announces.
 */
static inline void wheel_bells_ring(const struct wheel_slots *slots, u32 at, u64 bits)
{
	wheel_bells_set(wheel_bells_at(slots->keep.bells, at), bits);
	wheel_bells_set(wheel_bells_at(slots->keep.summary, at / WHEEL_BELLS),
			(u64)1 << at % WHEEL_BELLS);
}

/* Take what is set, with a full barrier if that is anything. */
static inline u64 wheel_bells_take(u64 **pages, u32 at)
{
	u64 *bells = wheel_bells_at(pages, at);

	return bells && READ_ONCE(*bells) ? xchg(bells, 0) : 0;
}

#endif
