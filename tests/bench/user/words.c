// SPDX-License-Identifier: GPL-2.0
#include <sys/ioctl.h>
#include <unistd.h>
#include <libwheel.h>

#include "contestant.h"
#include "machine.h"
#include "words.h"

static struct libwheel *wheel;
static struct wheel_event events[MOST_BATCH];

void words_open(__u32 scheme, __u32 count)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_KERNEL,
		.scheme = scheme, .timers = count, .flags = WHEEL_SETUP_WORDS,
	};
	__u32 i;

	if (libwheel_open(&wheel, &options))
		die("libwheel_open");
	for (i = 0; i < count; i++) {
		if (libwheel_word(wheel, WHEEL_ID(i, 1), i))
			die("libwheel_word");
	}
}

void words_close(void)
{
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

	if (ioctl(libwheel_fd(wheel), WHEEL_IOC_ENTER, &enter))
		die("WHEEL_IOC_ENTER");
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
