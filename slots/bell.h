/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Doorbells: one bit per slot, set by the program after it has armed a kept timer. The summary
 * has one bit per u64 of doorbells. Both are in pages that are added when first needed, like
 * the touch words.
 */
#ifndef _WHEEL_SLOTS_BELL_H
#define _WHEEL_SLOTS_BELL_H

#include "word.h"

/* Slots per u64 of doorbells. */
#define WHEEL_BELLS	64

/* Return the location of the u64 at an index, or NULL if its page does not exist. */
static inline u64 *wheel_bells_at(u64 **pages, u32 at)
{
	/* Pairs with the release that publishes the page: it is cleared. */
	u64 *page = smp_load_acquire(&pages[at / WHEEL_WORDS_PER_PAGE]);

	return page ? page + at % WHEEL_WORDS_PER_PAGE : NULL;
}

/* Return true if the pages of a slot's doorbell and of its summary bit exist. */
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
 * Set doorbells; their pages must exist. The summary is set last. A scan reads the summary
 * first, so it finds the doorbells that the summary announces.
 */
static inline void wheel_bells_ring(const struct wheel_slots *slots, u32 at, u64 bits)
{
	wheel_bells_set(wheel_bells_at(slots->keep.bells, at), bits);
	wheel_bells_set(wheel_bells_at(slots->keep.summary, at / WHEEL_BELLS),
			(u64)1 << at % WHEEL_BELLS);
}

/*
 * Clear and return the bits of a u64. If any bit was set, this is a full barrier, which orders the
 * clearing before the reads of the words. Pairs with the program's full barrier between
 * exchanging a word and setting its bit.
 */
static inline u64 wheel_bells_take(u64 **pages, u32 at)
{
	u64 *bells = wheel_bells_at(pages, at);

	return bells && READ_ONCE(*bells) ? xchg(bells, 0) : 0;
}

#endif
