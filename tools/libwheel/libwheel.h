/* SPDX-License-Identifier: MIT */
/*
 * libwheel: many timers behind one file descriptor, by /dev/wheel where it is
 * and by the same wheel in the program where it is not.
 *
 *	#include <libwheel.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		uint64_t id = WHEEL_ID(7, 1);
 *		struct wheel_event event;
 *		struct libwheel *wheel;
 *
 *		if (libwheel_open(&wheel, NULL) ||
 *		    libwheel_arm_in(wheel, &id, 50000000, 42) ||
 *		    libwheel_wait(wheel, &event, 1, -1) != 1)
 *			return 1;
 *		printf("timer %llu fired\n", event.cookie);
 *		libwheel_close(wheel);
 *	}
 *
 * Times are nanoseconds on the wheel's clock. A timer is named by a slot, which
 * the program chooses (its own index of a connection, say), and a generation,
 * which is greater at each arm of that slot; see linux/wheel_timer.h, whose
 * structs are used as they are.
 *
 * What can fail returns a negative errno of that header's table. Nothing is
 * printed, nothing aborts, errno is left alone.
 *
 * Threads: any number may use a wheel at once, except that nobody may use it
 * during and after libwheel_close(). A signal handler may touch, park and revive,
 * and call nothing else. After fork() it is the parent's: the child
 * may close it, every other function that can fail answers -ECHILD there, and
 * touching, parking and reviving are not allowed.
 *
 * This header needs C99 or C++11, and the __atomic functions of gcc or clang.
 */
#ifndef LIBWHEEL_H
#define LIBWHEEL_H

#include <errno.h>
#include <stdint.h>
#include <linux/wheel_timer.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct libwheel - an open wheel
 * @words: touch words, a slot each
 * @timers: how many; 0: it has none
 * @bells: doorbells, a bit a slot
 * @summary: of these, a bit for each 64
 * @next_wake: when kept timers are looked at next
 *
 * Only what is inlined is public; there is more behind it.
 */
struct libwheel {
	__u64 *words;
	__u64 timers;
	__u64 *bells;
	__u64 *summary;
	const __u64 *next_wake;
};

/* libwheel_options.backend */
#define LIBWHEEL_AUTO	0	/* the kernel if it can do what is asked for */
#define LIBWHEEL_KERNEL	1	/* /dev/wheel */
#define LIBWHEEL_USER	2	/* in the program, over a timerfd */

/**
 * struct libwheel_options - what kind of wheel
 * @size: sizeof(struct libwheel_options)
 * @flags: WHEEL_SETUP_*
 * @backend: LIBWHEEL_*; LIBWHEEL_AUTO heeds the environment's LIBWHEEL_BACKEND,
 *	which is "kernel", "user" or "auto"
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_HASHED or another scheme
 * @timers: how many timers it can hold, at most 2^24; 0: 65536
 * @buckets: of the ring; 0: as many as @timers need
 * @reserved: 0
 * @tick_ns: nanoseconds a tick; 0: 1 ms
 *
 * Of each but @size 0 is a default, and the scheme of 0 is WHEEL_HASHED. Ask for
 * WHEEL_HIERARCHICAL unless the clock can be set. A program built against an older header
 * passes a smaller struct, and one built against a newer header a larger one,
 * of which the library must know all that is not zero.
 */
struct libwheel_options {
	__u32 size;
	__u32 flags;
	__u32 backend;
	__u32 clock;
	__u32 scheme;
	__u32 timers;
	__u32 buckets;
	__u32 reserved;
	__u64 tick_ns;
};

/*
 * The version of this header. libwheel_version() is that of the library which
 * the program runs with: newer or the same, where it was linked as usual.
 */
#define LIBWHEEL_VERSION_OF(major, minor, patch)	\
	((major) << 16 | (minor) << 8 | (patch))
#define LIBWHEEL_VERSION	LIBWHEEL_VERSION_OF(1, 0, 0)

uint32_t libwheel_version(void);

/*
 * Open: NULL for @options: a hierarchical wheel, else the defaults. 0, or as
 * WHEEL_IOC_SETUP fails, or as open(2); *@wheel is set on success alone.
 */
int libwheel_open(struct libwheel **wheel,
		  const struct libwheel_options *options);
/* Its timers are forgotten. NULL is allowed. */
void libwheel_close(struct libwheel *wheel);
/* LIBWHEEL_KERNEL or LIBWHEEL_USER. */
int libwheel_backend(const struct libwheel *wheel);
/* What is in force. */
int libwheel_info(const struct libwheel *wheel, struct wheel_setup *info);
/* The wheel's clock. */
uint64_t libwheel_now(const struct libwheel *wheel);

/*
 * For the event loop: readable while libwheel_expirations() has something to
 * say. It is not to be read, written or closed.
 */
int libwheel_fd(const struct libwheel *wheel);

/*
 * One timer. With WHEEL_SETUP_ANY_SLOT libwheel_arm() and _arm_in() write *@id.
 * What they answer stands in the table of struct wheel_op.
 */
int libwheel_arm(struct libwheel *wheel, uint64_t *id, uint64_t when,
		 uint64_t cookie);
int libwheel_arm_in(struct libwheel *wheel, uint64_t *id, uint64_t delay,
		    uint64_t cookie);
int libwheel_rearm(struct libwheel *wheel, uint64_t id, uint64_t when);
int libwheel_cancel(struct libwheel *wheel, uint64_t id);
int libwheel_query(struct libwheel *wheel, uint64_t id, uint64_t *when);
/* Any operation, with all that struct wheel_op has; answers its res. */
int libwheel_do(struct libwheel *wheel, struct wheel_op *op);

/*
 * A batch, in order, by one system call and one reading of the clock. Each
 * operation has its own answer in res. How many of them failed, or the errno
 * that ended the call early; the first *@done have their answers. @done may be
 * NULL.
 */
int libwheel_submit(struct libwheel *wheel, struct wheel_op *ops,
		    uint32_t count, uint32_t *done);

/*
 * Take what has fired: how many events, 0: none now, -ESHUTDOWN: none any more.
 * Fewer than @count: there were no more.
 */
int libwheel_expirations(struct libwheel *wheel, struct wheel_event *events,
			 uint32_t count);
/*
 * The same, and wait for the first event. @timeout_ns: less than 0: for ever, so
 * a deadline minus the present wants to be compared with 0 first; 0 is the answer
 * when it is up. -EINTR: a signal came.
 */
int libwheel_wait(struct libwheel *wheel, struct wheel_event *events,
		  uint32_t count, int64_t timeout_ns);

/* Nothing fires any more. *@unfired, which may be NULL: what was pending. */
int libwheel_stop(struct libwheel *wheel, uint64_t *unfired);
/*
 * The pending timers, after libwheel_stop() the unfired ones, as operations that
 * arm them again: how many, 0: that was the end. *@cursor is 0 at first. @flags:
 * 0, or after libwheel_stop() WHEEL_LIST_TAKE, which frees their slots.
 */
int libwheel_list(struct libwheel *wheel, uint32_t flags, struct wheel_op *ops,
		  uint32_t count, uint32_t *cursor);
/* Exact counters. */
int libwheel_stats(struct libwheel *wheel, struct wheel_stats *stats);
/*
 * Move a VIRTUAL clock. *@next, which may be NULL: no timer is due before this
 * time, ~0: none is pending.
 */
int libwheel_advance(struct libwheel *wheel, uint64_t now, uint64_t *next);

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
 * Arm a parked timer. -EBUSY: it is armed; -ENOENT: it has fired, or the slot is not kept.
 * -ESHUTDOWN: the wheel was stopped, and it will not fire.
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
/* They call this if there is more to do than usual. */
int libwheel_keep_tell(struct libwheel *wheel, uint64_t id, uint64_t deadline);

/* In the library they are functions, for those who cannot inline. */
#ifndef LIBWHEEL_INLINE
#define LIBWHEEL_INLINE	inline
#endif

/* Does a word say that its timer is armed? */
#define LIBWHEEL_IS_DEADLINE(word)	((int64_t)(word) > 0)

/* One step of the protocol; if it fails, *old is what the word was instead. */
#define LIBWHEEL_SWAP(word, old, to)					\
	__atomic_compare_exchange_n(word, old, to, 0, __ATOMIC_ACQ_REL,	\
				    __ATOMIC_RELAXED)

LIBWHEEL_INLINE int libwheel_touch(struct libwheel *wheel, uint64_t id,
				   uint64_t deadline)
{
	__u64 *word, old;

	if (!LIBWHEEL_IS_DEADLINE(deadline))
		return -ERANGE;
	if (WHEEL_ID_SLOT(id) >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[WHEEL_ID_SLOT(id)];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (!LIBWHEEL_IS_DEADLINE(old))
			return -ENOENT;
	} while (!LIBWHEEL_SWAP(word, &old, deadline));
	return 0;
}

LIBWHEEL_INLINE int libwheel_park(struct libwheel *wheel, uint64_t id)
{
	__u64 *word, old;

	if (WHEEL_ID_SLOT(id) >= wheel->timers)
		return -ENOENT;
	word = &wheel->words[WHEEL_ID_SLOT(id)];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (!LIBWHEEL_IS_DEADLINE(old))
			return -ENOENT;
	} while (!LIBWHEEL_SWAP(word, &old, WHEEL_TOUCH_PARKED));
	return 0;
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

LIBWHEEL_INLINE int libwheel_keep_arm(struct libwheel *wheel, uint64_t id,
				      uint64_t deadline)
{
	__u32 slot = WHEEL_ID_SLOT(id);
	__u64 old = WHEEL_TOUCH_PARKED;

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

LIBWHEEL_INLINE int libwheel_keep_again(struct libwheel *wheel, uint64_t id,
					uint64_t deadline)
{
	__u32 slot = WHEEL_ID_SLOT(id);
	__u64 old = WHEEL_TOUCH_IDLE;

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

LIBWHEEL_INLINE int libwheel_keep_rest(struct libwheel *wheel, uint64_t id)
{
	__u32 slot = WHEEL_ID_SLOT(id);
	__u64 old = WHEEL_TOUCH_IDLE;

	if (slot >= wheel->timers ||
	    !LIBWHEEL_EXCHANGE(&wheel->words[slot], &old, WHEEL_TOUCH_PARKED))
		return -ENOENT;
	return 0;
}

LIBWHEEL_INLINE int libwheel_keep_move(struct libwheel *wheel, uint64_t id,
				       uint64_t deadline)
{
	__u32 slot = WHEEL_ID_SLOT(id);
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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
