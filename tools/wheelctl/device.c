// SPDX-License-Identifier: MIT
/*
 * The device, as calls that succeed or end the program with a clear line.
 */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advice.h"
#include "fail.h"
#include "parse.h"

/* Says what was tried, what came of it, and what to do. */
static void __noreturn device_fail(const char *what, int error,
				   const char *advice)
{
	fail(EXIT_DEVICE, "%s: %s%s%s%s", globals.device, what,
	     *what ? ": " : "", strerror(error), advice);
}

static void __noreturn open_failed(int error)
{
	char advice[sizeof(struct advice) + 4] = "";

	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		snprintf(advice, sizeof(advice), " (%s)", advice_here().s);
		break;
	case EACCES:
		snprintf(advice, sizeof(advice),
			 " (join the device's group, which ls -l shows, or run as root)");
		break;
	/* The mode of the node is no reason for it, a cgroup's device list is. */
	case EPERM:
		snprintf(advice, sizeof(advice),
			 " (allow this container by --device %s, this unit by DeviceAllow=)",
			 globals.device);
		break;
	}
	device_fail("", error, advice);
}

static const char *call_advice(int error)
{
	switch (error) {
	case ENOTTY:
		return " (not a wheel, or a module too old for this program)";
	case E2BIG:
		return " (a module too old for this program)";
	case EDQUOT:
		return " (more memory than your wheels may have: ask for less, or raise ulimit -l)";
	case EPERM:
		return " (a tick below 50us takes CAP_SYS_RESOURCE: run as root, or ask for 50us)";
	case EOPNOTSUPP:
		return " (not in this module; try wheelctl info)";
	case ERANGE:
		return " (past the clock's end, or beyond what a bounded wheel holds)";
	case ENOMEM:
		return " (ask for fewer timers, or raise the memory limit)";
	default:
		return "";
	}
}

static void call(struct device *d, unsigned long command, void *argument,
		 const char *name)
{
	while (ioctl(d->fd, command, argument) < 0)
		if (errno != EINTR)
			device_fail(name, errno, call_advice(errno));
}

/**
 * device_refused - an operation was refused that makes sense: the end
 * @verb: what it was
 * @res: its answer, a negative errno
 */
void device_refused(const char *verb, int res)
{
	device_fail(verb, -res, call_advice(-res));
}

/**
 * device_status - which device --device names
 * @status: of a character device
 */
void device_status(struct stat *status)
{
	if (stat(globals.device, status))
		open_failed(errno);
	if (!S_ISCHR(status->st_mode))
		fail(EXIT_DEVICE, "%s: not a device", globals.device);
}

/**
 * device_open - open the device that --device names
 * @d: set up
 */
void device_open(struct device *d)
{
	memset(d, 0, sizeof(*d));
	d->fd = open(globals.device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (d->fd < 0)
		open_failed(errno);
}

/* A batch of nothing tells the clock, and does nothing else. */
static u64 virtual_now(struct device *d)
{
	struct wheel_submit submit = {
		.size = sizeof(submit), .op_size = sizeof(struct wheel_op),
	};

	call(d, WHEEL_IOC_SUBMIT, &submit, "WHEEL_IOC_SUBMIT");
	return submit.now;
}

/**
 * device_adopt - take over a descriptor of a wheel
 * @d: set up
 * @fd: closed by device_close()
 *
 * A VIRTUAL clock stands still from now on, as we see it.
 */
void device_adopt(struct device *d, int fd)
{
	struct wheel_setup setup;

	memset(d, 0, sizeof(*d));
	d->fd = fd;
	device_info(d, &setup);
	d->clock = setup.clock;
	if (d->clock == WHEEL_CLOCK_VIRTUAL)
		d->moved_to = virtual_now(d);
}

void device_close(struct device *d)
{
	close(d->fd);
	d->fd = -1;
}

void device_info(struct device *d, struct wheel_setup *setup)
{
	memset(setup, 0, sizeof(*setup));
	setup->size = sizeof(*setup);
	call(d, WHEEL_IOC_INFO, setup, "WHEEL_IOC_INFO");
}

void device_stats(struct device *d, struct wheel_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	call(d, WHEEL_IOC_STATS, stats, "WHEEL_IOC_STATS");
}

/**
 * device_submit - have operations done, every one
 * @d: wheel
 * @ops: get their answers
 * @count: how many
 */
void device_submit(struct device *d, struct wheel_op *ops, u32 count)
{
	u32 at = 0;

	while (at < count) {
		struct wheel_submit submit = {
			.size = sizeof(submit),
			.ops = (u64)(unsigned long)(ops + at),
			.op_size = sizeof(*ops),
			.count = count - at,
		};

		if (ioctl(d->fd, WHEEL_IOC_SUBMIT, &submit) < 0) {
			if (errno != EINTR)
				device_fail("WHEEL_IOC_SUBMIT", errno,
					    call_advice(errno));
		} else if (submit.done != submit.count) {
			fail(EXIT_DEVICE,
			     "%s: WHEEL_IOC_SUBMIT answered %u of %u operations",
			     globals.device, submit.done, submit.count);
		}
		at += submit.done;
	}
}

/*
 * Does the wheel take times of our clock, or is that shifted by a time namespace?
 * No generation is 0, so that nothing is armed, and nothing counted.
 */
static void check_clock(struct device *d)
{
	struct wheel_op op = { .op = WHEEL_OP_ARM, .id = WHEEL_ID(0, 0) };

	device_submit(d, &op, 1);
	if (op.res == -EOPNOTSUPP)
		device_fail("arm", EOPNOTSUPP,
			    " (a time namespace shifts the clock: run it outside)");
}

/**
 * device_setup - set up a wheel to arm timers on
 * @d: wheel
 * @setup: what is asked for; what is in force
 */
void device_setup(struct device *d, struct wheel_setup *setup)
{
	setup->size = sizeof(*setup);
	call(d, WHEEL_IOC_SETUP, setup, "WHEEL_IOC_SETUP");
	d->clock = setup->clock;
	if (setup->events)
		ring_map(&d->ring, d->fd, setup->events);
	check_clock(d);
}

/**
 * device_list - one page of the pending timers
 * @d: wheel
 * @ops: filled with operations that would arm them
 * @count: how many fit
 * @cursor: 0 for the first page, then as the last call left it
 *
 * Return: how many were filled; 0 at the end.
 */
u32 device_list(struct device *d, struct wheel_op *ops, u32 count, u32 *cursor)
{
	struct wheel_list list = {
		.size = sizeof(list),
		.timers = (u64)(unsigned long)ops,
		.op_size = sizeof(*ops),
		.count = count,
		.cursor = *cursor,
	};

	call(d, WHEEL_IOC_LIST, &list, "WHEEL_IOC_LIST");
	*cursor = list.cursor;
	return list.done;
}

/**
 * device_read - take events
 * @d: wheel
 * @events: filled
 * @count: how many fit
 *
 * Return: how many there were.
 */
u32 device_read(struct device *d, struct wheel_event *events, u32 count)
{
	ssize_t bytes;

	if (d->ring.entries)
		return ring_take(&d->ring, events, count);
	do {
		bytes = read(d->fd, events, count * sizeof(*events));
	} while (bytes < 0 && errno == EINTR);
	if (bytes < 0 && errno == EAGAIN)
		return 0;
	if (bytes < 0)
		device_fail("read", errno, call_advice(errno));
	if (!bytes || bytes % (ssize_t)sizeof(*events))
		fail(EXIT_DEVICE, "%s: read gave %zd bytes; an event has %zu",
		     globals.device, bytes, sizeof(*events));
	return (u32)((size_t)bytes / sizeof(*events));
}

/**
 * device_now - the wheel's clock as we see it
 * @d: wheel
 *
 * Return: nanoseconds.
 */
u64 device_now(const struct device *d)
{
	static const clockid_t ids[] = {
		[WHEEL_CLOCK_MONOTONIC]	= CLOCK_MONOTONIC,
		[WHEEL_CLOCK_BOOTTIME]	= CLOCK_BOOTTIME,
		[WHEEL_CLOCK_REALTIME]	= CLOCK_REALTIME,
		[WHEEL_CLOCK_TAI]	= CLOCK_TAI,
	};
	struct timespec now;

	if (d->clock == WHEEL_CLOCK_VIRTUAL)
		return d->moved_to;
	if (d->clock >= ARRAY_SIZE(ids) || clock_gettime(ids[d->clock], &now))
		fail(EXIT_DEVICE, "cannot read the clock %s",
		     clock_name(d->clock));
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

/* Returns when the earliest timer is due, NEVER: none is pending. */
static u64 move_clock(struct device *d, u64 to)
{
	struct wheel_advance advance = { .size = sizeof(advance), .now = to };

	call(d, WHEEL_IOC_ADVANCE, &advance, "WHEEL_IOC_ADVANCE");
	d->moved_to = advance.now;
	return advance.next;
}

/* A VIRTUAL clock is moved by nobody but us: as far as something is due. */
static void move_on(struct device *d, u64 until)
{
	u64 next = move_clock(d, d->moved_to);

	if (until > WHEEL_MAX_TIME)
		until = WHEEL_MAX_TIME;
	move_clock(d, next < until ? next : until);
}

/**
 * device_wait - sleep until there is an event
 * @d: wheel
 * @until: but no longer than up to this time of its clock
 * @other: or until this descriptor can be read; -1: none
 *
 * May return for no reason. A VIRTUAL clock is moved instead of sleeping.
 */
void device_wait(struct device *d, u64 until, int other)
{
	struct pollfd fds[] = {
		{ .fd = d->fd, .events = POLLIN },
		{ .fd = other, .events = POLLIN },
	};
	struct timespec timeout = { 0 };
	u64 now = device_now(d);

	if (d->clock == WHEEL_CLOCK_VIRTUAL) {
		move_on(d, until);
	} else if (until > now) {
		timeout.tv_sec = (time_t)((until - now) / NSEC_PER_SEC);
		timeout.tv_nsec = (long)((until - now) % NSEC_PER_SEC);
	}
	if (ppoll(fds, ARRAY_SIZE(fds), until == NEVER &&
		  d->clock != WHEEL_CLOCK_VIRTUAL ? NULL : &timeout, NULL) < 0 &&
	    errno != EINTR)
		device_fail("poll", errno, "");
	if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL))
		fail(EXIT_DEVICE, "%s: poll says that the wheel is gone",
		     globals.device);
}
