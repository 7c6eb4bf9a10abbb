/* SPDX-License-Identifier: MIT */
/*
 * Timers that call a function: in the thread of an event loop, or in threads of a pool.
 *
 *	struct request {
 *		struct libwheel_task timeout;
 *		...
 *	};
 *
 *	request->timeout.run = timed_out;
 *	libwheel_arm_in(wheel, &id, delay, LIBWHEEL_COOKIE(&request->timeout));
 *
 * A thin layer over libwheel.h: each timer of the wheel has the cookie of a task. The
 * function is called once for each event, with no lock held: it may arm and cancel any
 * timer, its own too, free its task, and sleep. It has to return. Where libwheel_cancel()
 * answers -ENOENT, the function of a timer that was armed has been called, or will be: its
 * task stays until then. Where the wheel picks the slots the function knows its timer by the
 * event's id: the one that arms is told of it later.
 */
#ifndef LIBWHEEL_TASK_H
#define LIBWHEEL_TASK_H

#include <libwheel.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct libwheel_pool;

/**
 * struct libwheel_task - what a timer calls
 * @run: the function
 */
struct libwheel_task {
	void (*run)(struct libwheel_task *task, const struct wheel_event *event);
};

/* A timer is armed with this cookie. */
#define LIBWHEEL_COOKIE(task)	((uint64_t)(uintptr_t)(task))

/*
 * Call the functions of timers that have fired, in this thread, and do not wait. At most
 * @most of them, so that functions which arm what is due at once do not go on for
 * ever. How many were called; fewer than @most: there are no more now; or as
 * libwheel_expirations().
 */
int libwheel_run(struct libwheel *wheel, uint32_t most);

/*
 * Have so many threads do that from now on, each one event at a time: a function that sleeps
 * holds up its own thread, and no other. Threads of the pool take no signals. -EINVAL: no
 * thread; -EAGAIN, -ENOMEM; -EOPNOTSUPP with LIBWHEEL_NO_FD.
 */
int libwheel_pool_open(struct libwheel_pool **pool, struct libwheel *wheel,
		       uint32_t threads);
/*
 * Stop the wheel, as libwheel_stop(), let the threads call the functions of timers that had
 * fired, and wait for them. The wheel stays: libwheel_list() hands back what had not fired.
 * -EDEADLK in a function that the pool called, -ECHILD in a child of fork(): then nothing
 * was done. NULL is allowed.
 */
int libwheel_pool_close(struct libwheel_pool *pool);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
