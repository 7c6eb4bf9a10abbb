// SPDX-License-Identifier: MIT
/* Timeouts of libwheel. Starting, moving or stopping one is one compare-and-swap. */
#include <err.h>
#include <errno.h>
#include <event2/event.h>
#include <libwheel.h>

#include "timers.h"

#define NS_PER_MS	1000000ULL

static struct libwheel_timeouts *timeouts;
static uint64_t lengths[2];
static timers_fn *on_expired;

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
	check(libwheel_timeout_open(&timeouts, count, NULL));
	lengths[0] = even_ms * NS_PER_MS;
	lengths[1] = odd_ms * NS_PER_MS;
	on_expired = expired;
	event_add(event_new(base, libwheel_timeout_fd(timeouts), EV_READ | EV_PERSIST, on_wheel,
			    NULL), NULL);
}

void timers_arm(unsigned int nr)
{
	check(libwheel_timeout_start(timeouts, nr, lengths[nr % 2]));
}

bool timers_cancel(unsigned int nr)
{
	int error = libwheel_timeout_stop(timeouts, nr);

	/* -ENOENT: it was not started. */
	return error == -ENOENT || check(error);
}
