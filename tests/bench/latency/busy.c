// SPDX-License-Identifier: GPL-2.0
/*
 * busy TIMERS: keep a wheel as busy as a program can. TIMERS periodic timers expire every 10 ms,
 * and their events are read immediately. Prints a line after set-up, then runs until it is killed.
 */
#include <fcntl.h>
#include <linux/wheel_timer.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PERIOD_NS	10000000
#define EVENTS		256

static int set_up(unsigned int timers)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .scheme = WHEEL_HIERARCHICAL, .timers = timers,
	};
	int fd = open("/dev/wheel", O_RDWR);

	if (fd < 0 || ioctl(fd, WHEEL_IOC_SETUP, &setup)) {
		perror("/dev/wheel");
		exit(1);
	}
	return fd;
}

static void arm(int fd, unsigned int slot)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .flags = WHEEL_OP_REL, .id = WHEEL_ID(slot, 1),
		.when = PERIOD_NS, .period = PERIOD_NS,
	};
	struct wheel_submit submit = {
		.size = sizeof(submit), .ops = (unsigned long)&op, .op_size = sizeof(op),
		.count = 1,
	};

	if (ioctl(fd, WHEEL_IOC_SUBMIT, &submit) || op.res) {
		fprintf(stderr, "slot %u was not armed\n", slot);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	unsigned int timers = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, slot;
	struct wheel_event events[EVENTS];
	int fd = set_up(timers);

	for (slot = 0; slot < timers; slot++)
		arm(fd, slot);
	puts("busy");
	fflush(stdout);
	while (read(fd, events, sizeof(events)) > 0)
		;
	perror("read");
	return 1;
}
