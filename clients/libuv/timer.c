// SPDX-License-Identifier: MIT
/*
 * uv_timer_t on libwheel. This file replaces libuv's src/timer.c.
 *
 *	start -> wheel -> due -> callback
 *	  \-----------------/
 *
 * A loop has a wheel whose VIRTUAL clock is the loop's time, with ticks of 1 ms. Each pass
 * advances the clock and moves all expired timers to the due list, so that stopping one of them
 * is still possible. A timer that is started for a time that the clock has reached is appended
 * to that list. Timers therefore run in order of their timeouts, then in order of their starts.
 *
 * The members of libuv's heap have new meanings: loop->timer_heap.min points to the struct
 * timers, handle->heap_node links the due list, and handle->start_id is the id of the wheel's
 * timer, or 0 in the due list.
 */
#include "uv.h"
#include "uv-common.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include <libwheel.h>

#define BATCH		64
#define MOST_TIMERS	(1 << 24)

/**
 * struct timers - the timers of a loop
 * @wheel: the wheel; opened by the first timer
 * @due: list of expired timers, in the order in which they run
 * @time: the time of the wheel's clock
 * @forks: value of the global counter when the wheel was opened
 */
struct timers {
	struct libwheel *wheel;
	QUEUE due;
	uint64_t time;
	unsigned int forks;
};

/* Number of forks between the first process and this one. */
static unsigned int forks;
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

static QUEUE *due_node(uv_timer_t *handle)
{
	return (QUEUE *)handle->heap_node;
}

static uv_timer_t *handle_of(uint64_t cookie)
{
	return (uv_timer_t *)(uintptr_t)cookie;
}

static int open_wheel(struct timers *timers, uint64_t now)
{
	const struct libwheel_options options = {
		.size = sizeof(options),
		.backend = LIBWHEEL_USER,
		.clock = WHEEL_CLOCK_VIRTUAL,
		.timers = MOST_TIMERS,
		.mode = LIBWHEEL_NO_FD,
		.tick_ns = 1,
	};
	int err = libwheel_open(&timers->wheel, &options);

	if (err)
		return err;
	timers->forks = forks;
	timers->time = now;
	return libwheel_advance(timers->wheel, now, NULL);
}

/* Arm a timer that is not in the wheel. */
static int arm(struct timers *timers, uv_timer_t *handle, uint64_t when)
{
	uint64_t id;
	int err = libwheel_slot_get(timers->wheel, &id);

	if (err)
		return err;
	err = libwheel_arm(timers->wheel, id, when, (uintptr_t)handle);
	if (err)
		libwheel_slot_put(timers->wheel, id);
	else
		handle->start_id = id;
	return err;
}

/* Arm the timers of @old in a new wheel: a child must not use the wheel of its parent. */
static int copy_wheel(struct timers *timers, struct libwheel *old)
{
	struct wheel_op ops[BATCH];
	uint32_t cursor = 0;
	int err, count, i;

	err = open_wheel(timers, timers->time);
	while (!err && (count = libwheel_list(old, 0, ops, BATCH, &cursor)) > 0)
		for (i = 0; i < count && !err; i++)
			err = arm(timers, handle_of(ops[i].cookie), ops[i].when);
	libwheel_close(old);
	return err;
}

/* The timers of a loop, or NULL if it has none. */
static struct timers *timers_of(const uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;

	if (timers && timers->forks != forks && copy_wheel(timers, timers->wheel))
		abort();
	return timers;
}

/* The same; the first call creates them. */
static struct timers *timers_for(uv_loop_t *loop)
{
	struct timers *timers = timers_of(loop);

	if (timers)
		return timers;
	pthread_once(&forks_once, watch_forks);
	timers = uv__calloc(1, sizeof(*timers));
	if (!timers)
		return NULL;
	QUEUE_INIT(&timers->due);
	if (open_wheel(timers, loop->time)) {
		libwheel_close(timers->wheel);
		uv__free(timers);
		return NULL;
	}
	loop->timer_heap.min = timers;
	return timers;
}

void uv__timers_close(uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;

	if (!timers)
		return;
	libwheel_close(timers->wheel);
	uv__free(timers);
	loop->timer_heap.min = NULL;
}

/* Remove an active timer from the due list or from the wheel. */
static void take_off(struct timers *timers, uv_timer_t *handle)
{
	if (handle->start_id) {
		libwheel_cancel(timers->wheel, handle->start_id);
		libwheel_slot_put(timers->wheel, handle->start_id);
	} else {
		QUEUE_REMOVE(due_node(handle));
	}
	handle->start_id = 0;
}

static int put_on(struct timers *timers, uv_timer_t *handle)
{
	uint64_t when = handle->timeout;

	if (uv__is_active(handle) && (!handle->start_id || when <= timers->time))
		take_off(timers, handle);
	if (when <= timers->time) {
		QUEUE_INSERT_TAIL(&timers->due, due_node(handle));
		return 0;
	}
	if (when > WHEEL_MAX_TIME)
		when = WHEEL_MAX_TIME;
	if (handle->start_id)
		return libwheel_rearm(timers->wheel, handle->start_id, when);
	return arm(timers, handle, when);
}

/* Move the timers that are due at @now to the due list. */
static void collect(struct timers *timers, uint64_t now)
{
	struct wheel_event events[BATCH];
	int count, i;

	timers->time = now;
	libwheel_advance(timers->wheel, now, NULL);
	do {
		count = libwheel_expirations(timers->wheel, events, BATCH);
		for (i = 0; i < count; i++) {
			uv_timer_t *handle = handle_of(events[i].cookie);

			libwheel_slot_put(timers->wheel, handle->start_id);
			handle->start_id = 0;
			QUEUE_INSERT_TAIL(&timers->due, due_node(handle));
		}
	} while (count == BATCH);
}

int uv_timer_init(uv_loop_t *loop, uv_timer_t *handle)
{
	uv__handle_init(loop, (uv_handle_t *)handle, UV_TIMER);
	handle->timer_cb = NULL;
	handle->timeout = 0;
	handle->repeat = 0;
	handle->start_id = 0;
	return 0;
}

int uv_timer_start(uv_timer_t *handle, uv_timer_cb cb, uint64_t timeout, uint64_t repeat)
{
	uv_loop_t *loop = handle->loop;
	struct timers *timers;

	if (uv__is_closing(handle) || !cb)
		return UV_EINVAL;
	timers = timers_for(loop);
	if (!timers)
		return UV_ENOMEM;
	handle->timer_cb = cb;
	handle->timeout = timeout > UINT64_MAX - loop->time ? UINT64_MAX : loop->time + timeout;
	handle->repeat = repeat;
	if (put_on(timers, handle)) {
		uv__handle_stop(handle);
		return UV_ENOMEM;
	}
	uv__handle_start(handle);
	return 0;
}

int uv_timer_stop(uv_timer_t *handle)
{
	if (!uv__is_active(handle))
		return 0;
	take_off(timers_of(handle->loop), handle);
	uv__handle_stop(handle);
	return 0;
}

int uv_timer_again(uv_timer_t *handle)
{
	if (!handle->timer_cb)
		return UV_EINVAL;
	if (!handle->repeat)
		return 0;
	return uv_timer_start(handle, handle->timer_cb, handle->repeat, handle->repeat);
}

void uv_timer_set_repeat(uv_timer_t *handle, uint64_t repeat)
{
	handle->repeat = repeat;
}

uint64_t uv_timer_get_repeat(const uv_timer_t *handle)
{
	return handle->repeat;
}

uint64_t uv_timer_get_due_in(const uv_timer_t *handle)
{
	uint64_t now = handle->loop->time;

	return handle->timeout > now ? handle->timeout - now : 0;
}

/* The timeout of the loop's next poll, in milliseconds; -1 means infinite. */
int uv__next_timeout(const uv_loop_t *loop)
{
	struct timers *timers = timers_of(loop);
	uint64_t when;

	if (!timers)
		return -1;
	if (!QUEUE_EMPTY(&timers->due))
		return 0;
	if (libwheel_next(timers->wheel, &when) || when == UINT64_MAX)
		return -1;
	if (when <= loop->time)
		return 0;
	return when - loop->time < INT_MAX ? (int)(when - loop->time) : INT_MAX;
}

/* Run the due timers, including those that a callback starts without a delay. */
void uv__run_timers(uv_loop_t *loop)
{
	struct timers *timers = timers_of(loop);

	while (timers) {
		uv_timer_t *handle;

		if (timers->time < loop->time)
			collect(timers, loop->time);
		if (QUEUE_EMPTY(&timers->due))
			return;
		handle = container_of(QUEUE_HEAD(&timers->due), uv_timer_t, heap_node);
		uv_timer_stop(handle);
		uv_timer_again(handle);
		handle->timer_cb(handle);
	}
}

void uv__timer_close(uv_timer_t *handle)
{
	uv_timer_stop(handle);
}
