// SPDX-License-Identifier: MIT
/*
 * One timeout per slot, for servers: words with fewer states. A timer is created by the first
 * start of its slot.
 */
#include <sys/epoll.h>

#include "handle.h"

/* Timeouts taken at a time. */
#define BATCH	64

int libwheel_timeout_open(struct libwheel **wheel, uint32_t slots)
{
	struct libwheel_options options = {
		.size = sizeof(options), .flags = WHEEL_SETUP_WORDS, .timers = slots,
	};

	return libwheel_open(wheel, &options);
}

/* If the timer exists already, ARM fails because the slot is busy: its timeout has expired. */
int libwheel_timeout_start(struct libwheel *wheel, uint32_t slot, uint64_t delay)
{
	uint64_t deadline = libwheel_now(wheel) + delay;
	int err;

	/* A child of fork() has no words. */
	if (!*handle_of(wheel)->ours)
		return -ECHILD;
	if (delay > WHEEL_MAX_TIME)
		return -ERANGE;
	err = libwheel_word_arm(wheel, slot, deadline);
	if (err != -ENOENT)
		return err;
	err = libwheel_word(wheel, WHEEL_ID(slot, 1), slot);
	if (err)
		return err == -EBUSY ? -ENOENT : err;
	return libwheel_word_arm(wheel, slot, deadline);
}

int libwheel_timeout_stop(struct libwheel *wheel, uint32_t slot)
{
	return *handle_of(wheel)->ours ? libwheel_word_park(wheel, slot) : -ECHILD;
}

int libwheel_timeout_wait(struct libwheel *wheel, struct wheel_event *events,
			  uint32_t count, int64_t timeout_ns)
{
	int i, n = libwheel_wait(wheel, events, count, timeout_ns);

	for (i = 0; i < n; i++)
		libwheel_word_reset(wheel, events[i].id);
	return n;
}

static int take_expired(struct libwheel *wheel, struct epoll_event *events, int count)
{
	struct wheel_event expired[BATCH];
	int i, n = libwheel_timeout_wait(wheel, expired, count < BATCH ? count : BATCH, 0);

	for (i = 0; i < n; i++)
		events[i] = (struct epoll_event){ .data.fd = expired[i].cookie };
	return n;
}

/* Remove the wheel from the events, and record whether it was one of them. Returns their number. */
static int drop_wheel(struct libwheel *wheel, struct epoll_event *events, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (events[i].data.fd != libwheel_fd(wheel))
			continue;
		handle_of(wheel)->readable = true;
		events[i] = events[n - 1];
		return n - 1;
	}
	return n;
}

/*
 * Expired timeouts are taken after the program has handled the events of the call before: a request
 * that arrived in time may have restarted its timeout.
 */
int libwheel_timeout_epoll(struct libwheel *wheel, int epoll, struct epoll_event *events,
			   int count)
{
	struct handle *handle = handle_of(wheel);
	int saved = errno;
	int n = *handle->ours ? 0 : -ECHILD;

	while (!n) {
		if (handle->readable)
			n = take_expired(wheel, events, count);
		handle->readable = false;
		if (n)
			break;
		n = epoll_wait(epoll, events, count, -1);
		if (n < 0 && errno != EINTR)
			n = -errno;
		else
			n = drop_wheel(wheel, events, n < 0 ? 0 : n);
	}
	errno = saved;
	return n;
}
