/* SPDX-License-Identifier: MIT */
/*
 * Inline functions for touch words. Included by libwheel.h.
 */
#ifndef LIBWHEEL_TOUCH_H
#define LIBWHEEL_TOUCH_H

/**
 * DOC: touch
 *
 * A wheel with WHEEL_SETUP_TOUCH has a touch word in memory for each slot. It is the deadline
 * of a timer that was armed with WHEEL_OP_TOUCH. The program moves, cancels and revives such a
 * timer with one compare-and-swap, without a system call. Only the slot of @id is used, not its
 * generation, so the caller must own the slot.
 *
 * The functions return -ENOENT if the timer has expired or was cancelled, or without
 * WHEEL_SETUP_TOUCH, and -ERANGE if the deadline is 0 or exceeds WHEEL_MAX_TIME.
 */

/*
 * Move a pending timer. If @deadline is later, no event occurs before it. If it is earlier, it
 * may be detected only at the old deadline; libwheel_rearm() takes effect at once.
 */
inline int libwheel_touch(struct libwheel *wheel, uint64_t id,
			  uint64_t deadline);
/* Cancel a pending timer: no event follows on success. It can be revived. */
inline int libwheel_park(struct libwheel *wheel, uint64_t id);
/*
 * Arm a parked timer again. -ENOENT: it was reclaimed at its old deadline or has expired, arm a
 * newer generation; -EBUSY: it is pending. A @deadline earlier than a previous one may be
 * detected only at the previous one.
 */
inline int libwheel_revive(struct libwheel *wheel, uint64_t id,
			   uint64_t deadline);

/* Common part of libwheel_touch() and libwheel_park(): write @to if the timer is pending. */
inline int libwheel_touch_to(struct libwheel *wheel, uint64_t id, uint64_t to);

/* True if the value of a touch word is a deadline, so the timer is armed. */
#define LIBWHEEL_IS_DEADLINE(word)	((int64_t)(word) > 0)

/* Compare-and-swap of a touch word. On failure, *old is set to its current value. */
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
