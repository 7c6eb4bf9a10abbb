/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Words and doorbells: memory shared with the program, which arms, moves and cancels its timers
 * without a system call. A word is a deadline, PARKED or IDLE. A doorbell is one bit per slot, set
 * by the program after it has armed a timer. The summary has one bit per u64 of doorbells.
 *
 * The program may write any value at any time. Each decision reads the word once. One that changes
 * it ends with an exchange; the winner of the exchange decides. The exchanges here are full
 * barriers. They pair with those of the program, which must be at least acquire and release:
 *
 *	the pass			the program
 *
 *	read D: it is due		read D
 *	exchange D for IDLE		exchange D for D' or PARKED
 *	won: the timer expires		won: the timer does not expire
 *	lost: read again		lost, IDLE: it expires, or was freed
 *
 * Words, doorbells and summary are in pages that are added when first needed.
 */
#ifndef _WHEEL_SLOTS_WORD_H
#define _WHEEL_SLOTS_WORD_H

#include "slots.h"

#define WHEEL_WORDS_PER_PAGE	((u32)(WHEEL_SHARED_PAGE / sizeof(u64)))

/* Slots per u64 of doorbells. */
#define WHEEL_BELLS	64

int wheel_word_arm(struct wheel_slots *slots, struct wheel_slot *slot,
		   const struct wheel_op *op, u64 deadline);
int wheel_word_enqueue(struct wheel_slots *slots, struct wheel_slot *slot, u64 deadline, u64 slack);
int wheel_word_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		     u64 word, u64 deadline, u64 slack);
int wheel_word_cancel(struct wheel_slots *slots, struct wheel_slot *slot);
bool wheel_word_unfired(struct wheel_slots *slots, struct wheel_slot *slot);
enum wheel_claim wheel_word_claim(void *data, struct wheel_timer *timer, u64 due, u64 *deadline);

/* Return the page of a word, or NULL. */
static inline u64 *wheel_word_page(const struct wheel_slots *slots, u32 nr)
{
	/* Pairs with the release that publishes the page: the words are initialized. */
	return smp_load_acquire(&slots->words[nr / WHEEL_WORDS_PER_PAGE]);
}

/* Return the location of the word of a slot. Its page must exist. */
static inline u64 *wheel_word_of(const struct wheel_slots *slots, const struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	return wheel_word_page(slots, nr) + nr % WHEEL_WORDS_PER_PAGE;
}

/* Exchange a word for another; return false if the program has changed it. */
static inline bool wheel_word_swap(u64 *word, u64 old, u64 new)
{
	return cmpxchg(word, old, new) == old;
}

/* Take a word back from the program, regardless of its value; return the value. */
static inline u64 wheel_word_end(u64 *word)
{
	return xchg(word, WHEEL_WORD_IDLE);
}

/* Return the word of a deadline. PARKED is 0, so the earliest deadline is 1. */
static inline u64 wheel_word_deadline(u64 deadline)
{
	return max_t(u64, deadline, 1);
}

/* Return true if a word is not a deadline. */
static inline bool wheel_word_parked(u64 word)
{
	return word == WHEEL_WORD_PARKED || word & WHEEL_WORD_IDLE;
}

/* Return the page of the u64 at an index, or NULL. */
static inline u64 *wheel_bells_page(u64 **pages, u32 at)
{
	/* Pairs with the release that publishes the page: it is cleared. */
	return smp_load_acquire(&pages[at / WHEEL_WORDS_PER_PAGE]);
}

/* Return the location of the u64 at an index. Its page must exist. */
static inline u64 *wheel_bells_at(u64 **pages, u32 at)
{
	return pages[at / WHEEL_WORDS_PER_PAGE] + at % WHEEL_WORDS_PER_PAGE;
}

/* Return true if the pages of a slot's word, doorbell and summary bit exist. */
static inline bool wheel_word_ready(const struct wheel_slots *slots, const struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	return wheel_word_page(slots, nr) &&
	       wheel_bells_page(slots->scanner.bells, nr / WHEEL_BELLS) &&
	       wheel_bells_page(slots->scanner.summary, nr / WHEEL_BELLS / WHEEL_BELLS);
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
	wheel_bells_set(wheel_bells_at(slots->scanner.bells, at), bits);
	wheel_bells_set(wheel_bells_at(slots->scanner.summary, at / WHEEL_BELLS),
			(u64)1 << at % WHEEL_BELLS);
}

/*
 * Clear and return the bits of a u64. If any bit was set, this is a full barrier, which orders the
 * clearing before the reads of the words. Pairs with the program's full barrier between
 * exchanging a word and setting its bit.
 */
static inline u64 wheel_bells_clear(u64 **pages, u32 at)
{
	u64 *page = wheel_bells_page(pages, at);

	at %= WHEEL_WORDS_PER_PAGE;
	return page && READ_ONCE(page[at]) ? xchg(&page[at], 0) : 0;
}

#endif
