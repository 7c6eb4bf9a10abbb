/* SPDX-License-Identifier: MIT */
/*
 * The completion ring: events that come without a call.
 */
#ifndef RING_H
#define RING_H

#include "wheelctl.h"

/**
 * struct ring - the mapped pages
 * @kernel: written by the kernel
 * @user: written by us
 * @event: the events
 * @entries: how many fit, a power of two
 */
struct ring {
	const struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	const struct wheel_event *event;
	u32 entries;
};

void ring_map(struct ring *r, int fd, u32 entries);
u32 ring_take(struct ring *r, struct wheel_event *events, u32 count);

#endif
