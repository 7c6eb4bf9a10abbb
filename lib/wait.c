// SPDX-License-Identifier: MIT
/*
 * Waiting for events, for programs without an event loop.
 */
#include <poll.h>

#include "handle.h"

#define FOR_EVER	(~(__u64)0)
#define NS_PER_SEC	1000000000ULL

/* Poll until @end on CLOCK_MONOTONIC. Returns 1 if readable, 0 on timeout, or a negative errno. */
static int poll_until(int fd, __u64 end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	__u64 now = clock_read(WHEEL_CLOCK_MONOTONIC);
	__u64 left = end > now ? end - now : 0;
	struct timespec ts = {
		.tv_sec = (time_t)(left / NS_PER_SEC),
		.tv_nsec = (long)(left % NS_PER_SEC),
	};
	int saved = errno;
	int ret = ppoll(&p, 1, end == FOR_EVER ? NULL : &ts, NULL);

	if (ret < 0)
		ret = -errno;
	errno = saved;
	return ret;
}

int libwheel_wait(struct libwheel *wheel, struct wheel_event *events,
		  uint32_t count, int64_t timeout_ns)
{
	__u64 end = FOR_EVER;
	int more = timeout_ns != 0;
	int ret;

	if (!*handle_of(wheel)->ours)
		return -ECHILD;
	if (libwheel_fd(wheel) < 0 && more)
		return libwheel_fd(wheel);
	if (timeout_ns > 0)
		end = clock_read(WHEEL_CLOCK_MONOTONIC) + (__u64)timeout_ns;
	for (;;) {
		ret = libwheel_expirations(wheel, events, count);
		if (ret || !more)
			return ret;
		more = poll_until(libwheel_fd(wheel), end);
		if (more < 0)
			return more;
	}
}
