/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Touch words: deadlines in memory that is shared with the program, which moves
 * them, parks and revives its timers without a call.
 *
 * The program may write anything at any time. Each word is read once for each
 * decision, and a decision is an exchange: the side that wins it is right. Our
 * exchanges are full barriers. They pair with the program's, whose are acquire
 * and release at least:
 *
 *	the pass			the program
 *
 *	read D: it has passed		read D
 *	exchange D for IDLE		exchange D for D' or PARKED
 *	won: it fires			won: it does not fire
 *	lost: look again		lost, IDLE: it fires, or is gone
 *
 * The words lie in pages, which the caller brings.
 */
#ifndef _WHEEL_SLOTS_WORD_H
#define _WHEEL_SLOTS_WORD_H

#include "slots.h"

#define WHEEL_WORDS_PER_PAGE	((u32)(PAGE_SIZE / sizeof(u64)))

/* The page of a word, or NULL. */
static inline u64 *wheel_word_page(const struct wheel_slots *slots, u32 nr)
{
	/* Pairs with the release of the side that brought it: it is filled. */
	return smp_load_acquire(&slots->words[nr / WHEEL_WORDS_PER_PAGE]);
}

/* The page of this word, and of the following ones, has to be there. */
static inline u64 *wheel_word_at(const struct wheel_slots *slots, u32 nr)
{
	nr = wheel_slots_index(nr, slots->setup.timers);
	return wheel_word_page(slots, nr) + nr % WHEEL_WORDS_PER_PAGE;
}

static inline u64 wheel_word_read(const struct wheel_slots *slots, u32 nr)
{
	return READ_ONCE(*wheel_word_at(slots, nr));
}

/* Hand a word to the program. */
static inline void wheel_word_arm(const struct wheel_slots *slots, u32 nr,
				  u64 deadline)
{
	/* Pairs with the program's reading of a word that is not IDLE. */
	smp_store_release(wheel_word_at(slots, nr), deadline);
}

/* Exchange a word for another, unless the program was faster. */
static inline bool wheel_word_swap(const struct wheel_slots *slots, u32 nr,
				   u64 old, u64 new)
{
	return cmpxchg(wheel_word_at(slots, nr), old, new) == old;
}

/* Take a word back, whatever the program made of it; returns that. */
static inline u64 wheel_word_end(const struct wheel_slots *slots, u32 nr)
{
	return xchg(wheel_word_at(slots, nr), WHEEL_TOUCH_IDLE);
}

/* Is what a word says no deadline? */
static inline bool wheel_word_parked(u64 word)
{
	return word == WHEEL_TOUCH_PARKED || word & WHEEL_TOUCH_IDLE;
}

#endif
