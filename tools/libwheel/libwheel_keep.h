/* SPDX-License-Identifier: MIT */
/*
 * Kept timers, inline. A part of libwheel.h, which includes it.
 */
#ifndef LIBWHEEL_KEEP_H
#define LIBWHEEL_KEEP_H

/**
 * DOC: keep
 *
 * On a wheel with WHEEL_SETUP_TOUCH a timer can be kept: its slot is the program's until
 * libwheel_cancel(), and the program arms it again and again without a call. Nearly all
 * timeouts are cancelled before they are due, and of those the wheel never hears.
 *
 *	from	to	by
 *	-	parked	libwheel_keep()
 *	parked	armed	libwheel_keep_arm()
 *	armed	armed	libwheel_keep_move(), earlier or later
 *	armed	parked	libwheel_park()
 *	armed	fired	its time has come: an event
 *	fired	armed	libwheel_keep_again(), by who has taken the event
 *	fired	parked	libwheel_keep_rest(), by who has taken the event
 *
 * The slot of a timer that has fired may not be used before its event was taken. So where
 * libwheel_park() answers -ENOENT the timer has won, and the slot comes back to a free list
 * with the event, not before.
 *
 * A slot has one owner at a time: one thread, or a lock. Deadlines are as in libwheel_arm().
 */

/*
 * Take a slot that is kept, parked. *@id names it as in libwheel_arm(), and fails as that;
 * -EOPNOTSUPP: the wheel, or this kernel's, has no kept timers.
 */
int libwheel_keep(struct libwheel *wheel, uint64_t *id, uint64_t cookie);
/*
 * Arm a parked timer. -EBUSY: it is armed; -ENOENT: it has fired, the slot is not kept, or
 * libwheel_stop() has taken its word. -ESHUTDOWN: the wheel was stopped, and it will not fire.
 */
inline int libwheel_keep_arm(struct libwheel *wheel, uint64_t id,
			     uint64_t deadline);
/* The same for one that has fired, whose event the caller has taken. */
inline int libwheel_keep_again(struct libwheel *wheel, uint64_t id,
			       uint64_t deadline);
/* Or park it. -ENOENT: it has not fired. */
inline int libwheel_keep_rest(struct libwheel *wheel, uint64_t id);
/* Move an armed timer, earlier or later. -ENOENT: it is not armed. */
inline int libwheel_keep_move(struct libwheel *wheel, uint64_t id,
			      uint64_t deadline);
/* The first two are this, with the word that they expect. */
inline int libwheel_keep_from(struct libwheel *wheel, uint64_t id,
			      uint64_t word, uint64_t deadline);
/* They call this if there is more to do than usual. */
int libwheel_keep_tell(struct libwheel *wheel, uint64_t id, uint64_t deadline);

/*
 * The exchange of a word and what is read afterwards are in one order for all threads and
 * for the kernel.
 */
#define LIBWHEEL_EXCHANGE(word, old, to)				\
	__atomic_compare_exchange_n(word, old, to, 0, __ATOMIC_SEQ_CST,	\
				    __ATOMIC_RELAXED)

/*
 * Is all said of a timer that is armed for @deadline? Its bit is set, since the wheel has
 * not looked after it was set last, and no look is needed before the next one.
 */
#define LIBWHEEL_TOLD(wheel, slot, deadline)				\
	(__atomic_load_n(&(wheel)->bells[(slot) / 64],			\
			 __ATOMIC_SEQ_CST) >> (slot) % 64 & 1 &&	\
	 (deadline) >= __atomic_load_n((wheel)->next_wake, __ATOMIC_SEQ_CST))

LIBWHEEL_INLINE int libwheel_keep_from(struct libwheel *wheel, uint64_t id,
				       uint64_t word, uint64_t deadline)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 old = word;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (slot >= wheel->timers)
		return -ENOENT;
	if (!LIBWHEEL_EXCHANGE(&wheel->words[slot], &old, deadline))
		return LIBWHEEL_IS_DEADLINE(old) ? -EBUSY : -ENOENT;
	if (LIBWHEEL_TOLD(wheel, slot, deadline))
		return 0;
	return libwheel_keep_tell(wheel, id, deadline);
}

LIBWHEEL_INLINE int libwheel_keep_arm(struct libwheel *wheel, uint64_t id,
				      uint64_t deadline)
{
	return libwheel_keep_from(wheel, id, WHEEL_TOUCH_PARKED, deadline);
}

LIBWHEEL_INLINE int libwheel_keep_again(struct libwheel *wheel, uint64_t id,
					uint64_t deadline)
{
	return libwheel_keep_from(wheel, id, WHEEL_TOUCH_IDLE, deadline);
}

LIBWHEEL_INLINE int libwheel_keep_rest(struct libwheel *wheel, uint64_t id)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 old = WHEEL_TOUCH_IDLE;

	if (slot >= wheel->timers ||
	    !LIBWHEEL_EXCHANGE(&wheel->words[slot], &old, WHEEL_TOUCH_PARKED))
		return -ENOENT;
	return 0;
}

LIBWHEEL_INLINE int libwheel_keep_move(struct libwheel *wheel, uint64_t id,
				       uint64_t deadline)
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
	} while (!LIBWHEEL_EXCHANGE(word, &old, deadline));
	/* Later: it is found at its old time. */
	if (deadline >= old)
		return 0;
	if (LIBWHEEL_TOLD(wheel, slot, deadline))
		return 0;
	return libwheel_keep_tell(wheel, id, deadline);
}

#endif
