/* SPDX-License-Identifier: MIT */
/*
 * Files with the pending timers of a wheel.
 */
#ifndef SAVE_H
#define SAVE_H

#include <stdio.h>

#include "wheelctl.h"

/**
 * struct moment - one time on several clocks
 * @now: the wheel's clock
 * @wall: the wall clock, in nanoseconds
 * @boot: id of the boot, at which MONOTONIC and BOOTTIME started
 */
struct moment {
	u64 now;
	u64 wall;
	char boot[40];
};

/**
 * struct pending - pending timers
 * @setup: configuration of their wheel
 * @moment: time at which they were listed
 * @op: operations that arm them
 * @count: number of timers
 * @room: allocated number of timers
 */
struct pending {
	struct wheel_setup setup;
	struct moment moment;
	struct wheel_op *op;
	size_t count;
	size_t room;
};

void pending_add(struct pending *p, const struct wheel_op *op);
/* Write a file; errors are reported by ferror(). */
void pending_write(const struct pending *p, FILE *file);
/* Read a file; an error in it ends the program. */
void pending_load(struct pending *p, const char *path);
/*
 * Keep the instants at which timers are due. If the clock was restarted by a boot, the wall
 * clock specifies the elapsed time.
 */
void pending_move(struct pending *p, const struct moment *to);
void pending_free(struct pending *p);

#endif
