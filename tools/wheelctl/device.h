/* SPDX-License-Identifier: MIT */
/*
 * Calls to the device. If a call fails, the program exits with a message.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "util.h"

/**
 * struct ring - mapped completion ring
 * @kernel: page written by the kernel
 * @user: page written by this program
 * @event: events
 * @entries: capacity, a power of two, or 0 if events are read with read()
 */
struct ring {
	const struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	const struct wheel_event *event;
	u32 entries;
};

/**
 * struct device - an open wheel
 * @fd: file descriptor
 * @clock: WHEEL_CLOCK_* of the wheel
 * @ring: completion ring
 * @moved_to: current time of a VIRTUAL clock
 */
struct device {
	int fd;
	u32 clock;
	struct ring ring;
	u64 moved_to;
};

struct stat;

/* Report that the device rejected a valid operation. */
void __noreturn device_refused(const char *verb, int res);
/* Get the status of the character device selected with --device. */
void device_status(struct stat *status);
void device_open(struct device *d);
/* Use an open descriptor. From now on, only this program moves a VIRTUAL clock. */
void device_adopt(struct device *d, int fd);
void device_close(struct device *d);

/* Set up a wheel for arming timers; @setup is replaced with the effective configuration. */
void device_setup(struct device *d, struct wheel_setup *setup);
void device_info(struct device *d, struct wheel_setup *setup);
void device_stats(struct device *d, struct wheel_stats *stats);
/* Submit operations until all have a result. */
void device_submit(struct device *d, struct wheel_op *ops, u32 count);
/* Get the next page of pending timers; *@cursor is initially 0. Returns their number. */
u32 device_list(struct device *d, struct wheel_op *ops, u32 count, u32 *cursor);
/* Get available events; returns their number. */
u32 device_read(struct device *d, struct wheel_event *events, u32 count);

/* Current time of the wheel's clock. */
u64 device_now(const struct device *d);
/*
 * Sleep until an event is available, @other is readable or the wheel's clock reaches @until.
 * May return earlier. A VIRTUAL clock is moved instead.
 */
void device_wait(struct device *d, u64 until, int other);

#endif
