// SPDX-License-Identifier: GPL-2.0
#include <sys/ioctl.h>
#include <unistd.h>
#include <libwheel.h>

#include "contestant.h"
#include "machine.h"
#include "words.h"

/* The user backend scans words more often. */
#define SCANS_NS	(4 * NSEC)

static struct libwheel *wheel;
static struct libwheel_timeouts *timeouts;
static int epoll;
static struct wheel_event events[MOST_BATCH];

void words_open(__u32 backend, __u32 scheme, __u32 count)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = backend,
		.scheme = scheme, .timers = count, .flags = WHEEL_SETUP_WORDS,
	};
	struct epoll_event event = { .events = EPOLLIN };
	__u32 i;

	if (libwheel_open(&wheel, &options))
		die("libwheel_open");
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, libwheel_fd(wheel), &event))
		die("epoll");
	for (i = 0; i < count; i++) {
		if (libwheel_word(wheel, WHEEL_ID(i, 1), i))
			die("libwheel_word");
	}
}

void words_close(void)
{
	close(epoll);
	libwheel_close(wheel);
}

void words_arm(const __u32 *timers, __u32 n, __u64 deadline)
{
	struct libwheel *w = wheel;
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_word_arm(w, timers[i], deadline))
			die("libwheel_word_arm");
}

void words_push(const __u32 *timers, __u32 n, __u64 deadline)
{
	struct libwheel *w = wheel;
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_word_push(w, timers[i], deadline))
			die("libwheel_word_push");
}

void words_park(const __u32 *timers, __u32 n)
{
	struct libwheel *w = wheel;
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_word_park(w, timers[i]))
			die("libwheel_word_park");
}

void words_arm_park(const __u32 *timers, __u32 n, __u64 deadline)
{
	struct libwheel *w = wheel;
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_word_arm(w, timers[i], deadline) ||
		    libwheel_word_park(w, timers[i]))
			die("libwheel_word_arm");
}

void words_scan(void)
{
	struct wheel_enter enter = {
		.size = sizeof(enter), .flags = WHEEL_ENTER_KICK,
	};
	__u64 until = now() + SCANS_NS;

	if (libwheel_backend(wheel) == LIBWHEEL_KERNEL) {
		if (ioctl(libwheel_fd(wheel), WHEEL_IOC_ENTER, &enter))
			die("WHEEL_IOC_ENTER");
		return;
	}
	/* The user backend scans at its own times. */
	while (now() < until)
		if (words_sleep(until))
			die("a timer expired early");
}

void words_wait(__u32 count)
{
	struct wheel_stats stats = { .unread = 0 };
	uint64_t when;

	/* A query runs part of the pass that the interrupt left to the program. */
	while (stats.unread < count) {
		if (libwheel_query(wheel, WHEEL_ID(0, 0), &when) != -ENOENT)
			die("libwheel_query");
		if (libwheel_stats(wheel, &stats))
			die("libwheel_stats");
	}
}

__u32 words_restart(__u32 batch, __u64 deadline, __u64 *ns)
{
	int i, taken = libwheel_expirations(wheel, events, batch);
	struct libwheel *w = wheel;
	__u64 start = now();

	for (i = 0; i < taken; i++)
		if (libwheel_word_restart(w, events[i].id, deadline))
			die("libwheel_word_restart");
	*ns += lap(start);
	return taken > 0 ? (__u32)taken : 0;
}

__u32 words_sleep(__u64 until)
{
	struct epoll_event event;
	__u32 sum = 0;
	int i, taken;

	sleep_on(epoll, &event, 1, until);
	do {
		taken = libwheel_expirations(wheel, events, MOST_BATCH);
		for (i = 0; i < taken; i++)
			if (libwheel_word_reset(wheel, events[i].id))
				die("libwheel_word_reset");
		sum += taken > 0 ? (__u32)taken : 0;
	} while (taken == MOST_BATCH);
	return sum;
}

void timeouts_open(__u32 backend, __u32 scheme, __u32 count)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = backend, .scheme = scheme,
	};

	if (libwheel_timeout_open(&timeouts, count, &options))
		die("libwheel_timeout_open");
}

void timeouts_close(void)
{
	libwheel_timeout_close(timeouts);
}

void timeouts_start(const __u32 *timers, __u32 n, __u64 delay)
{
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_timeout_start(timeouts, timers[i], delay))
			die("libwheel_timeout_start");
}

void timeouts_start_at(const __u32 *timers, __u32 n, __u64 deadline)
{
	struct libwheel_time time = { deadline };
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_timeout_start_at(timeouts, timers[i], time))
			die("libwheel_timeout_start_at");
}

void timeouts_stop(const __u32 *timers, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++)
		if (libwheel_timeout_stop(timeouts, timers[i]))
			die("libwheel_timeout_stop");
}
