/* SPDX-License-Identifier: MIT */
/*
 * The device, as calls that succeed or end the program with a clear line.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "fail.h"
#include "ring.h"
#include "wheelctl.h"

/**
 * struct device - an open wheel
 * @fd: its descriptor
 * @clock: WHEEL_CLOCK_* of the wheel
 * @ring: where its events come, if @ring.entries is not 0
 * @moved_to: where we have moved its clock if that is VIRTUAL
 */
struct device {
	int fd;
	u32 clock;
	struct ring ring;
	u64 moved_to;
};

struct stat;

void __noreturn device_refused(const char *verb, int res);
void device_status(struct stat *status);
void device_open(struct device *d);
void device_adopt(struct device *d, int fd);
void device_close(struct device *d);

void device_setup(struct device *d, struct wheel_setup *setup);
void device_info(struct device *d, struct wheel_setup *setup);
void device_stats(struct device *d, struct wheel_stats *stats);
void device_submit(struct device *d, struct wheel_op *ops, u32 count);
u32 device_list(struct device *d, struct wheel_op *ops, u32 count, u32 *cursor);
u32 device_read(struct device *d, struct wheel_event *events, u32 count);

u64 device_now(const struct device *d);
void device_wait(struct device *d, u64 until, int other);

#endif
