/* SPDX-License-Identifier: MIT */
/*
 * The pending timers of a wheel, in a file.
 */
#ifndef PENDING_H
#define PENDING_H

#include <stdio.h>

#include "wheelctl.h"

/**
 * struct moment - when the timers were listed, by clocks that can be compared later
 * @now: the wheel's clock
 * @wall: the wall's, in nanoseconds
 * @boot: id of the boot, since which MONOTONIC and BOOTTIME count
 */
struct moment {
	u64 now;
	u64 wall;
	char boot[40];
};

/**
 * struct pending - the timers
 * @setup: of the wheel that had them
 * @moment: when it had them
 * @op: operations that arm them again
 * @count: how many
 * @room: how many fit
 */
struct pending {
	struct wheel_setup setup;
	struct moment moment;
	struct wheel_op *op;
	size_t count;
	size_t room;
};

void pending_add(struct pending *p, const struct wheel_op *op);
void pending_write(const struct pending *p, FILE *file);
void pending_load(struct pending *p, const char *path);
void pending_move(struct pending *p, const struct moment *to);
void pending_free(struct pending *p);
void moment_take(struct moment *m, u64 now);

#endif
