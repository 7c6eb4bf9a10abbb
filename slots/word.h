/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Touch words: deadlines in memory shared with the program, which moves, parks and revives its
 * timers without a system call.
 *
 * The program may write any value at any time. Each decision reads the word once and ends with
 * an exchange; the winner of the exchange decides. The exchanges here are full barriers. They
 * pair with the exchanges of the program, which must be at least acquire and release:
 *
 *	the pass			the program
 *
 *	read D: it is due		read D
 *	exchange D for IDLE		exchange D for D' or PARKED
 *	won: the timer expires		won: the timer does not expire
 *	lost: read again		lost, IDLE: it expires, or was freed
 *
 * The words are in pages that the caller provides.
 */
#ifndef _WHEEL_SLOTS_WORD_H
#define _WHEEL_SLOTS_WORD_H

#include "slots.h"

#define WHEEL_WORDS_PER_PAGE	((u32)(PAGE_SIZE / sizeof(u64)))

/* Return the page of a word, or NULL. */
static inline u64 *wheel_word_page(const struct wheel_slots *slots, u32 nr)
{
	/* Pairs with the release that publishes the page: the words are initialized. */
	return smp_load_acquire(&slots->words[nr / WHEEL_WORDS_PER_PAGE]);
}

/* Return the location of a word. For this and the functions below, its page must exist. */
static inline u64 *wheel_word_at(const struct wheel_slots *slots, u32 nr)
{
	nr = wheel_slots_index(nr, slots->setup.timers);
	return wheel_word_page(slots, nr) + nr % WHEEL_WORDS_PER_PAGE;
}

static inline u64 wheel_word_read(const struct wheel_slots *slots, u32 nr)
{
	return READ_ONCE(*wheel_word_at(slots, nr));
}

/* Hand a word over to the program. */
static inline void wheel_word_arm(const struct wheel_slots *slots, u32 nr,
				  u64 deadline)
{
	/*
	 * Order the stores to the slot before the store of the word. Pairs with the program's
	 * acquire when it reads a word that is not IDLE.
	 */
	smp_store_release(wheel_word_at(slots, nr), deadline);
}

/* Exchange a word for another; return false if the program has changed it. */
static inline bool wheel_word_swap(const struct wheel_slots *slots, u32 nr,
				   u64 old, u64 new)
{
	return cmpxchg(wheel_word_at(slots, nr), old, new) == old;
}

/* Take a word back from the program, regardless of its value; return the value. */
static inline u64 wheel_word_end(const struct wheel_slots *slots, u32 nr)
{
	return xchg(wheel_word_at(slots, nr), WHEEL_TOUCH_IDLE);
}

/* Return true if a word is not a deadline. */
static inline bool wheel_word_parked(u64 word)
{
	return word == WHEEL_TOUCH_PARKED || word & WHEEL_TOUCH_IDLE;
}

#endif
