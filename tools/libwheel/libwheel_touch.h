/* SPDX-License-Identifier: MIT */
/*
 * Touch words, inline. A part of libwheel.h, which includes it.
 */
#ifndef LIBWHEEL_TOUCH_H
#define LIBWHEEL_TOUCH_H

/**
 * DOC: touch
 *
 * A wheel with WHEEL_SETUP_TOUCH has a word in memory for each slot. A timer
 * that was armed with WHEEL_OP_TOUCH is governed by its slot's word: the program
 * moves, cancels and revives it by one compare-and-swap, without a call. A slot
 * is meant, whatever the generation: who touches has to own it.
 *
 * All three answer -ENOENT when the timer has fired or was cancelled, and
 * -ERANGE for a deadline of 0 or past WHEEL_MAX_TIME. Without
 * WHEEL_SETUP_TOUCH they answer -ENOENT.
 */

/*
 * Move a pending timer. Later: no event comes before @deadline. Earlier: it is
 * seen when the old time comes; libwheel_rearm() makes it sure.
 */
inline int libwheel_touch(struct libwheel *wheel, uint64_t id,
			  uint64_t deadline);
/* Cancel a pending timer, decisively. It can be revived. */
inline int libwheel_park(struct libwheel *wheel, uint64_t id);
/*
 * Arm a parked timer again. -ENOENT: it was reclaimed when its old time came, or
 * has fired; arm a newer generation. -EBUSY: it is pending. Unless @deadline is
 * later than all that were before, it may be late.
 */
inline int libwheel_revive(struct libwheel *wheel, uint64_t id,
			   uint64_t deadline);

/* The first two are this, with the word that they write. */
inline int libwheel_touch_to(struct libwheel *wheel, uint64_t id, uint64_t to);

/* Does a word say that its timer is armed? */
#define LIBWHEEL_IS_DEADLINE(word)	((int64_t)(word) > 0)

/* One step of the protocol; if it fails, *old is what the word was instead. */
#define LIBWHEEL_SWAP(word, old, to)					\
	__atomic_compare_exchange_n(word, old, to, 0, __ATOMIC_ACQ_REL,	\
				    __ATOMIC_RELAXED)

LIBWHEEL_INLINE int libwheel_touch_to(struct libwheel *wheel, uint64_t id,
				      uint64_t to)
{
	__u64 *word, old;

	if (WHEEL_ID_SLOT(id) >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[WHEEL_ID_SLOT(id)];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (!LIBWHEEL_IS_DEADLINE(old))
			return -ENOENT;
	} while (!LIBWHEEL_SWAP(word, &old, to));
	return 0;
}

LIBWHEEL_INLINE int libwheel_touch(struct libwheel *wheel, uint64_t id,
				   uint64_t deadline)
{
	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	return libwheel_touch_to(wheel, id, deadline);
}

LIBWHEEL_INLINE int libwheel_park(struct libwheel *wheel, uint64_t id)
{
	return libwheel_touch_to(wheel, id, WHEEL_TOUCH_PARKED);
}

LIBWHEEL_INLINE int libwheel_revive(struct libwheel *wheel, uint64_t id,
				    uint64_t deadline)
{
	__u64 old = WHEEL_TOUCH_PARKED;
	__u64 *word;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (WHEEL_ID_SLOT(id) >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[WHEEL_ID_SLOT(id)];
	if (LIBWHEEL_SWAP(word, &old, deadline))
		return 0;
	return LIBWHEEL_IS_DEADLINE(old) ? -EBUSY : -ENOENT;
}

#endif
