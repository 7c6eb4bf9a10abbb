// SPDX-License-Identifier: MIT
/*
 * Timeouts of libwheel. One thread uses them, and reads the clock at most once per iteration of the
 * loop. Without the module, starting or stopping one is usually a load and a store; on the device,
 * it is one compare-and-swap.
 */
#include <err.h>
#include <errno.h>
#include <event2/event.h>
#include <libwheel.h>

#include "timers.h"

#define NS_PER_MS	1000000ULL

static struct libwheel_timeouts *timeouts;
static uint64_t lengths[2];
static timers_fn *on_expired;

/* The time of this iteration, if it was read. */
static struct libwheel_time now;
static bool now_is_known;
static struct event *iteration_end;

static void on_iteration_end(int fd, short what, void *arg)
{
	now_is_known = false;
}

static struct libwheel_time iteration_time(void)
{
	if (!now_is_known) {
		now = libwheel_timeout_now(timeouts);
		now_is_known = true;
		/* It is handled after all events that are active. */
		event_active(iteration_end, EV_TIMEOUT, 0);
	}
	return now;
}

/* One event at a time: the timers of the others stay expired while the server handles it. */
static void on_wheel(int fd, short what, void *arg)
{
	struct wheel_event event;

	while (libwheel_timeout_wait(timeouts, &event, 1, 0) == 1)
		on_expired(event.cookie);
}

/* True if the timer has not expired. */
static bool check(int error)
{
	if (error && error != -EBUSY)
		errx(1, "libwheel: %s", libwheel_strerror(error));
	return !error;
}

void timers_open(struct event_base *base, unsigned int count, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .mode = LIBWHEEL_ONE_THREAD,
	};

	check(libwheel_timeout_open(&timeouts, count, &options));
	lengths[0] = even_ms * NS_PER_MS;
	lengths[1] = odd_ms * NS_PER_MS;
	on_expired = expired;
	iteration_end = event_new(base, -1, 0, on_iteration_end, NULL);
	event_add(event_new(base, libwheel_timeout_fd(timeouts), EV_READ | EV_PERSIST, on_wheel,
			    NULL), NULL);
}

void timers_arm(unsigned int nr)
{
	struct libwheel_time deadline = libwheel_time_after(iteration_time(), lengths[nr % 2]);

	check(libwheel_timeout_start_at(timeouts, nr, deadline));
}

bool timers_cancel(unsigned int nr)
{
	int error = libwheel_timeout_stop(timeouts, nr);

	/* -ENOENT: it was not started. */
	return error == -ENOENT || check(error);
}
