// SPDX-License-Identifier: GPL-2.0
/*
 * busy TIMERS: keep a wheel as busy as a program can. TIMERS periodic timers expire every 10 ms,
 * and their events are read immediately. Prints a line after set-up, then runs until it is killed.
 */
#include <libwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PERIOD_NS	10000000
#define EVENTS		256

static void need(int err)
{
	if (err < 0) {
		fprintf(stderr, "busy: %s\n", libwheel_strerror(err));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_KERNEL, .scheme = WHEEL_HIERARCHICAL,
		.timers = argc > 1 ? strtoul(argv[1], NULL, 10) : 0,
	};
	struct wheel_event events[EVENTS];
	struct libwheel *wheel;
	unsigned int slot;

	need(libwheel_open(&wheel, &options));
	for (slot = 0; slot < options.timers; slot++) {
		struct wheel_op op = {
			.op = WHEEL_OP_ARM, .flags = WHEEL_OP_REL, .id = WHEEL_ID(slot, 1),
			.when = PERIOD_NS, .period = PERIOD_NS,
		};

		need(libwheel_do(wheel, &op));
	}
	puts("busy");
	fflush(stdout);
	for (;;)
		need(libwheel_wait(wheel, events, EVENTS, -1));
}
