/* SPDX-License-Identifier: MIT */
/*
 * Inline functions for kept timers. Included by libwheel.h.
 */
#ifndef LIBWHEEL_KEEP_H
#define LIBWHEEL_KEEP_H

/**
 * DOC: keep
 *
 * With WHEEL_SETUP_TOUCH a timer can be kept: its slot belongs to the program until
 * libwheel_cancel(), and the program arms, moves and cancels it without a system call. Most
 * timeouts are cancelled before they are due, and most of those are never queued on the wheel.
 *
 *	from	to	by
 *	-	parked	libwheel_keep()
 *	parked	armed	libwheel_keep_arm()
 *	armed	armed	libwheel_keep_arm(), earlier or later
 *	armed	parked	libwheel_park()
 *	armed	fired	expiry; the event follows
 *	fired	armed	libwheel_keep_again(), by the thread that has taken the event
 *	fired	parked	libwheel_keep_rest(), by the thread that has taken the event
 *
 * The slot of an expired timer must not be used before its event was taken. If libwheel_park()
 * returns -ENOENT, the timer has expired; return the slot to a free list only after taking the
 * event.
 *
 * A slot has one owner at a time: one thread, or the holder of a lock. Deadlines are absolute,
 * as in libwheel_arm().
 */

/*
 * Create a kept timer, parked. The errors of libwheel_arm() apply. -EOPNOTSUPP: the wheel or the
 * kernel does not support kept timers.
 */
int libwheel_keep(struct libwheel *wheel, uint64_t id, uint64_t cookie);
/*
 * Arm a parked timer, or move an armed one, earlier or later. -ENOENT: it has expired, is not
 * kept, or was stopped by libwheel_stop(); -ESHUTDOWN: the wheel was stopped, and the timer will
 * not expire.
 */
inline int libwheel_keep_arm(struct libwheel *wheel, uint64_t id,
			     uint64_t deadline);
/*
 * Arm an expired timer, whose event the caller has taken. -EBUSY: it is armed; -ENOENT and
 * -ESHUTDOWN as above.
 */
inline int libwheel_keep_again(struct libwheel *wheel, uint64_t id,
			       uint64_t deadline);
/* Park an expired timer, whose event the caller has taken. -ENOENT: it has not expired. */
inline int libwheel_keep_rest(struct libwheel *wheel, uint64_t id);
/* Slow path of the inline functions: set the doorbell, and kick the kernel if necessary. */
int libwheel_keep_notify(struct libwheel *wheel, uint64_t id, uint64_t deadline);

/*
 * Sequentially consistent: all threads and the kernel observe the exchange before the loads of
 * the doorbell and of next_wake that follow.
 */
#define LIBWHEEL_EXCHANGE(word, old, to)				\
	__atomic_compare_exchange_n(word, old, to, 0, __ATOMIC_SEQ_CST,	\
				    __ATOMIC_RELAXED)

/*
 * True if a timer armed for @deadline needs no notification: its doorbell is still set, so it
 * will be examined by the next scan, and it is not due before that scan.
 */
#define LIBWHEEL_SCANNED_IN_TIME(wheel, slot, deadline)			\
	(__atomic_load_n(&(wheel)->bells[(slot) / 64],			\
			 __ATOMIC_SEQ_CST) >> (slot) % 64 & 1 &&	\
	 (deadline) >= __atomic_load_n((wheel)->next_wake, __ATOMIC_SEQ_CST))

LIBWHEEL_INLINE int libwheel_keep_arm(struct libwheel *wheel, uint64_t id,
				      uint64_t deadline)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 old = WHEEL_TOUCH_PARKED;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (slot >= wheel->timers)
		return -ENOENT;
	if (!LIBWHEEL_EXCHANGE(&wheel->words[slot], &old, deadline)) {
		do {
			if (!LIBWHEEL_IS_DEADLINE(old))
				return -ENOENT;
		} while (!LIBWHEEL_EXCHANGE(&wheel->words[slot], &old, deadline));
		/* A timer that is moved to a later deadline is detected at the old one. */
		if (deadline >= old)
			return 0;
	}
	if (LIBWHEEL_SCANNED_IN_TIME(wheel, slot, deadline))
		return 0;
	return libwheel_keep_notify(wheel, id, deadline);
}

LIBWHEEL_INLINE int libwheel_keep_again(struct libwheel *wheel, uint64_t id,
					uint64_t deadline)
{
	__u64 slot = id & WHEEL_SLOT_MASK;
	__u64 old = WHEEL_TOUCH_IDLE;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (slot >= wheel->timers)
		return -ENOENT;
	if (!LIBWHEEL_EXCHANGE(&wheel->words[slot], &old, deadline))
		return LIBWHEEL_IS_DEADLINE(old) ? -EBUSY : -ENOENT;
	if (LIBWHEEL_SCANNED_IN_TIME(wheel, slot, deadline))
		return 0;
	return libwheel_keep_notify(wheel, id, deadline);
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

#endif
