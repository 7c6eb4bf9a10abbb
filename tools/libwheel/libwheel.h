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
 * A function that can fail returns a negative errno of that header's table. None of them
 * prints, aborts or touches errno.
 *
 * Threads: any number may use a wheel at once, except that nobody may use it
 * during and after libwheel_close(). A signal handler may touch, park and revive,
 * and call nothing else. After fork() it is the parent's: the child may close it, list
 * its timers, and ask for its clock and for what is in force. All else answers -ECHILD
 * there, and touching, parking, reviving and keeping are not allowed.
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

/*
 * libwheel_options.mode, for event loops that sleep until the time of libwheel_next(). It needs
 * the backend in the program: LIBWHEEL_AUTO selects that, and with LIBWHEEL_KERNEL
 * libwheel_open() fails with -EOPNOTSUPP.
 */
#define LIBWHEEL_NO_FD		(1U << 0)

/**
 * struct libwheel_options - what kind of wheel
 * @size: sizeof(struct libwheel_options)
 * @flags: WHEEL_SETUP_*
 * @backend: LIBWHEEL_*; LIBWHEEL_AUTO heeds the environment's LIBWHEEL_BACKEND,
 *	which is "kernel", "user", "auto" or empty
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_HASHED or another scheme
 * @timers: how many timers it can hold, at most 2^24; 0: 65536
 * @buckets: of the ring; 0: as many as @timers need
 * @mode: LIBWHEEL_NO_FD or 0
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
	__u32 mode;
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

/* A function's answer in words: those of libwheel(7), of other numbers the system's. */
const char *libwheel_strerror(int err);

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
/* The settings in force. */
int libwheel_info(const struct libwheel *wheel, struct wheel_setup *info);
/* The wheel's clock. */
uint64_t libwheel_now(const struct libwheel *wheel);

/*
 * For the event loop: readable while libwheel_expirations() has something to
 * say. It is not to be read, written or closed. -EOPNOTSUPP with LIBWHEEL_NO_FD.
 */
int libwheel_fd(const struct libwheel *wheel);

/*
 * For a loop that sleeps by a timeout. *@when: the time of the wheel's clock at which
 * libwheel_expirations() wants to be called; 0: now, it has something to say; ~0: nothing is
 * pending. It is never too late, and too early where the wheel has to look by itself, or
 * the earliest timer was cancelled or moved. Ask again before each sleep.
 * -EOPNOTSUPP on /dev/wheel, unless its clock is VIRTUAL.
 */
int libwheel_next(struct libwheel *wheel, uint64_t *when);

/*
 * One timer. With WHEEL_SETUP_ANY_SLOT libwheel_arm() and _arm_in() write *@id.
 * The table of struct wheel_op has their answers.
 */
int libwheel_arm(struct libwheel *wheel, uint64_t *id, uint64_t when,
		 uint64_t cookie);
int libwheel_arm_in(struct libwheel *wheel, uint64_t *id, uint64_t delay,
		    uint64_t cookie);
int libwheel_rearm(struct libwheel *wheel, uint64_t id, uint64_t when);
/*
 * Move a timer that is pending, or else arm it anew: then *@id is of the next generation,
 * and it may be that of a timer that never was. A timer that is moved keeps its cookie.
 * -EBUSY: it has fired, and its event was not taken. With WHEEL_SETUP_ANY_SLOT it is armed in
 * another slot then.
 */
int libwheel_rearm_or_arm(struct libwheel *wheel, uint64_t *id, uint64_t when,
			  uint64_t cookie);
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

/*
 * Have the memory of slots 0 .. @timers - 1 now: arming them does not fail with -ENOMEM
 * later. Else a slot costs nothing until it is armed, but for its touch word on wheels of up
 * to 2^17 timers. -EINVAL: there are not as many; -ENOMEM; -EOPNOTSUPP on /dev/wheel.
 */
int libwheel_reserve(struct libwheel *wheel, uint32_t timers);

/* Nothing fires any more. *@unfired, which may be NULL: what was pending. */
int libwheel_stop(struct libwheel *wheel, uint64_t *unfired);
/*
 * The pending timers, after libwheel_stop() the unfired ones, as operations that
 * arm them again: how many, 0: that was the end. *@cursor is 0 at first. @flags:
 * 0, or after libwheel_stop() WHEEL_LIST_TAKE, which frees their slots.
 *
 * A child of fork() is told what was pending in the parent when it was made, on /dev/wheel
 * what is pending there now. -EBUSY: another thread was in the library at that moment.
 */
int libwheel_list(struct libwheel *wheel, uint32_t flags, struct wheel_op *ops,
		  uint32_t count, uint32_t *cursor);
/* Exact counters. */
int libwheel_stats(struct libwheel *wheel, struct wheel_stats *stats);
/*
 * Move a VIRTUAL clock. *@next, which may be NULL: no timer is due before this
 * time, ~0: none is pending. It leaves out what has fired and was not taken: a loop that
 * sleeps by it takes all events first, or asks libwheel_next() instead.
 */
int libwheel_advance(struct libwheel *wheel, uint64_t now, uint64_t *next);

/* In the library they are functions, for those who cannot inline. */
#ifndef LIBWHEEL_INLINE
#define LIBWHEEL_INLINE	inline
#endif

#include "libwheel_touch.h"
#include "libwheel_keep.h"

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
