/* SPDX-License-Identifier: MIT */
/*
 * Timers that call a function, in the thread of an event loop or in a thread pool.
 *
 *	struct request {
 *		struct libwheel_task timeout;
 *		...
 *	};
 *
 *	request->timeout.run = timed_out;
 *	libwheel_arm_in(wheel, id, delay, LIBWHEEL_COOKIE(&request->timeout));
 *
 * A thin layer over libwheel.h: the cookie of each timer of the wheel must be that of a task.
 * The function is called once per event, without holding a lock. It may arm and cancel any
 * timer, including its own, free its task, and sleep. It must return. If libwheel_cancel() of
 * an armed timer returns -ENOENT, the function was or will be called, and the task must exist
 * until then.
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
 * struct libwheel_task - a function to call when a timer expires
 * @run: the function
 */
struct libwheel_task {
	void (*run)(struct libwheel_task *task, const struct wheel_event *event);
};

/* The cookie to arm a timer of a task with. */
#define LIBWHEEL_COOKIE(task)	((uint64_t)(uintptr_t)(task))

/*
 * Call the functions of expired timers in this thread, without waiting. @most limits the number
 * of calls, because a function may arm a timer that is due immediately. Returns the number of
 * calls, which is less than @most only if no event is left, or fails as libwheel_expirations().
 */
int libwheel_run(struct libwheel *wheel, uint32_t most);

/*
 * Start @threads threads that call the functions of expired timers, each one event at a time. A
 * function that sleeps blocks only its own thread. The threads block all signals. -EINVAL:
 * @threads is 0; -EAGAIN, -ENOMEM: the threads could not be created; -EOPNOTSUPP with
 * LIBWHEEL_NO_FD.
 */
int libwheel_pool_open(struct libwheel_pool **pool, struct libwheel *wheel,
		       uint32_t threads);
/*
 * Stop the wheel as libwheel_stop() does, wait until the functions of all expired timers have
 * returned, and end the threads. The wheel remains open: libwheel_list() returns the timers
 * that had not expired. NULL is allowed. On error nothing was done. -EDEADLK: called from a
 * function of the pool; -ECHILD: called from a child of fork().
 */
int libwheel_pool_close(struct libwheel_pool *pool);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
