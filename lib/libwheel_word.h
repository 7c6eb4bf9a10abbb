/* SPDX-License-Identifier: MIT */
/*
 * Inline functions for timers with a word. Included by libwheel.h.
 */
#ifndef LIBWHEEL_WORD_H
#define LIBWHEEL_WORD_H

/**
 * DOC: words
 *
 * With WHEEL_SETUP_WORDS a timer can have a word in shared memory: its slot belongs to the program
 * until libwheel_cancel(), and the program arms, moves and cancels it without a system call. Most
 * timeouts are cancelled before they are due, and most of those are never queued on the wheel.
 *
 *	from	to	by
 *	-	parked	libwheel_word()
 *	parked	armed	libwheel_word_arm()
 *	armed	armed	libwheel_word_push(), libwheel_word_arm(), earlier or later
 *	armed	parked	libwheel_word_park()
 *	armed	expired	expiry; the event follows
 *	expired	armed	libwheel_word_restart(), by the thread that has taken the event
 *	expired	parked	libwheel_word_reset(), by the thread that has taken the event
 *
 * The slot of an expired timer must not be used before its event was taken. If
 * libwheel_word_park() returns -ENOENT for an armed timer, it has expired; return the slot to a
 * free list only after taking the event.
 *
 * A slot has one owner at a time: one thread, or the holder of a lock. Only the slot of @id is
 * used, not its generation. Deadlines are absolute, as in libwheel_arm(). The functions return
 * -ENOENT if the timer is not in the state of the column "from", and -ERANGE if the deadline is 0
 * or exceeds WHEEL_MAX_TIME. After libwheel_stop() they return -ENOENT, or -ESHUTDOWN if they have
 * changed the word to a deadline: the timer does not expire.
 */

/*
 * Create a timer with a word, parked. The errors of libwheel_arm() apply. -EOPNOTSUPP: the wheel
 * was opened without WHEEL_SETUP_WORDS.
 */
LIBWHEEL_MUST_CHECK int libwheel_word(struct libwheel *wheel, uint64_t id, uint64_t cookie);
/* Arm a parked timer, or move an armed one. */
LIBWHEEL_MUST_CHECK inline int
libwheel_word_arm(struct libwheel *wheel, uint64_t id, uint64_t deadline);
/* Move an armed timer. */
LIBWHEEL_MUST_CHECK inline int
libwheel_word_push(struct libwheel *wheel, uint64_t id, uint64_t deadline);
/* Cancel an armed timer: no event follows on success. */
LIBWHEEL_MUST_CHECK inline int libwheel_word_park(struct libwheel *wheel, uint64_t id);
/* Arm an expired timer, whose event the caller has taken. */
LIBWHEEL_MUST_CHECK inline int
libwheel_word_restart(struct libwheel *wheel, uint64_t id, uint64_t deadline);
/* Park an expired timer, whose event the caller has taken. */
inline int libwheel_word_reset(struct libwheel *wheel, uint64_t id);
/*
 * Slow path of the inline functions: set the doorbell, and kick the kernel if @deadline is before
 * its next scan.
 */
LIBWHEEL_MUST_CHECK int
libwheel_word_notify(struct libwheel *wheel, uint64_t id, uint64_t deadline);

/* True if the value of a word is a deadline, so the timer is armed. */
#define LIBWHEEL_IS_DEADLINE(word)	((int64_t)(word) > 0)

/*
 * Compare-and-swap of a word. On failure, *old is set to its current value. Sequentially
 * consistent: all threads and the kernel observe the exchange before the loads of the doorbell
 * and of next_wake that follow.
 */
#define LIBWHEEL_SWAP(word, old, to)					\
	__atomic_compare_exchange_n(word, old, to, 0, __ATOMIC_SEQ_CST,	\
				    __ATOMIC_RELAXED)

/*
 * Notify the kernel of a timer that was armed for @deadline, if necessary. It is not necessary if
 * the doorbell is still set, so that the next scan examines the timer, and the timer is not due
 * before that scan.
 */
#define LIBWHEEL_NOTIFY(wheel, id, slot, deadline)				\
	((__atomic_load_n(&(wheel)->bells[(slot) / 64],				\
			  __ATOMIC_SEQ_CST) >> (slot) % 64 & 1 &&		\
	  (deadline) >= __atomic_load_n((wheel)->next_wake, __ATOMIC_SEQ_CST)) ? \
	 0 : libwheel_word_notify(wheel, id, deadline))

LIBWHEEL_INLINE int libwheel_word_push(struct libwheel *wheel, uint64_t id, uint64_t deadline)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 *word, old;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (slot >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[slot];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (!LIBWHEEL_IS_DEADLINE(old))
			return -ENOENT;
	} while (!LIBWHEEL_SWAP(word, &old, deadline));
	/* A timer that is moved to a later deadline is detected at the old one. */
	return deadline >= old ? 0 : LIBWHEEL_NOTIFY(wheel, id, slot, deadline);
}

LIBWHEEL_INLINE int libwheel_word_arm(struct libwheel *wheel, uint64_t id, uint64_t deadline)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 *word, old;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (slot >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[slot];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (old & WHEEL_WORD_IDLE)
			return -ENOENT;
	} while (!LIBWHEEL_SWAP(word, &old, deadline));
	/* PARKED is 0, which counts as later than any deadline. */
	return deadline > old - 1 ? 0 : LIBWHEEL_NOTIFY(wheel, id, slot, deadline);
}

LIBWHEEL_INLINE int libwheel_word_park(struct libwheel *wheel, uint64_t id)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 *word, old;

	if (slot >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[slot];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (!LIBWHEEL_IS_DEADLINE(old))
			return -ENOENT;
	} while (!LIBWHEEL_SWAP(word, &old, WHEEL_WORD_PARKED));
	return 0;
}

LIBWHEEL_INLINE int libwheel_word_restart(struct libwheel *wheel, uint64_t id, uint64_t deadline)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 old = WHEEL_WORD_IDLE;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (slot >= wheel->timers || !LIBWHEEL_SWAP(&wheel->words[slot], &old, deadline))
		return -ENOENT;
	return LIBWHEEL_NOTIFY(wheel, id, slot, deadline);
}

LIBWHEEL_INLINE int libwheel_word_reset(struct libwheel *wheel, uint64_t id)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 old = WHEEL_WORD_IDLE;

	if (slot >= wheel->timers ||
	    !LIBWHEEL_SWAP(&wheel->words[slot], &old, WHEEL_WORD_PARKED))
		return -ENOENT;
	return 0;
}

#endif
