// SPDX-License-Identifier: GPL-2.0
/* libwheel, with /dev/wheel if it exists, and ticks of 1 ms. */
#include <libwheel.h>
#include <sys/epoll.h>

#include "contestant.h"

#define BATCH	64

static struct libwheel *opened;

static void open_wheel(int epoll)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .scheme = WHEEL_HIERARCHICAL,
		.timers = TIMERS,
	};
	struct epoll_event event = { .events = EPOLLIN };
	int err = libwheel_open(&opened, &options);

	if (err)
		die("libwheel_open", -err);
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, libwheel_fd(opened), &event))
		die("epoll_ctl", errno);
}

static void arm(__u32 timer, __u64 deadline)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .id = WHEEL_ID(timer, 1), .when = deadline,
	};
	int err = libwheel_do(opened, &op);

	if (err)
		die("libwheel_do", -err);
}

static void take(__u32 data)
{
	struct wheel_event events[BATCH];
	int i, n;

	(void)data;
	do {
		n = libwheel_expirations(opened, events, BATCH);
		for (i = 0; i < n; i++)
			fired(WHEEL_ID_SLOT(events[i].id));
	} while (n == BATCH);
}

const struct contestant wheel = { "libwheel", -1, open_wheel, arm, take };
