// SPDX-License-Identifier: MIT
/*
 * Calls to the device. If a call fails, the program exits with a message.
 */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "look.h"
#include "text.h"

/* Report the failed operation, the cause and the remedy. */
static void __noreturn device_fail(const char *what, int error, const char *advice)
{
	fail(EXIT_DEVICE, "%s: %s%s%s%s", globals.device, what, *what ? ": " : "",
	     strerror(error), advice);
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
	/* The permissions of a device node cause EACCES, a cgroup's device list causes EPERM. */
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
	case EPERM:
		return " (a tick below 50us requires CAP_SYS_RESOURCE: run as root, or use 50us)";
	case EOPNOTSUPP:
		return " (by this module, or in a time namespace with another offset)";
	case ERANGE:
		return " (after the end of the clock, or beyond the limit of a bounded wheel)";
	case ENOMEM:
		return " (use fewer timers, or raise the memory limit)";
	default:
		return "";
	}
}

static void __noreturn fail_for_memory(const struct device *d, const char *name)
{
	const struct holder holder = { .pid = getpid(), .fd = d->fd };
	struct look look;
	char advice[200];

	look_fdinfo(&look, &holder);
	snprintf(advice, sizeof(advice),
		 " (your wheels would exceed their memory limit: %s of %s kB are in use: reduce them, or raise ulimit -l)",
		 look.user_memory == NEVER ? "?" : text_count(look.user_memory / 1024).s,
		 look.user_limit == NEVER ? "?" : text_count(look.user_limit / 1024).s);
	device_fail(name, EDQUOT, advice);
}

static void call(struct device *d, unsigned long command, void *argument, const char *name)
{
	while (ioctl(d->fd, command, argument) < 0) {
		if (errno == EDQUOT)
			fail_for_memory(d, name);
		if (errno != EINTR)
			device_fail(name, errno, call_advice(errno));
	}
}

void device_refused(const char *verb, int res)
{
	device_fail(verb, -res, call_advice(-res));
}

void device_status(struct stat *status)
{
	if (stat(globals.device, status))
		open_failed(errno);
	if (!S_ISCHR(status->st_mode))
		fail(EXIT_DEVICE, "%s: not a device", globals.device);
}

void device_open(struct device *d)
{
	memset(d, 0, sizeof(*d));
	d->fd = open(globals.device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (d->fd < 0)
		open_failed(errno);
}

/* An empty batch reads the clock without side effects. */
static u64 virtual_now(struct device *d)
{
	struct wheel_submit submit = {
		.size = sizeof(submit), .op_size = sizeof(struct wheel_op),
	};

	call(d, WHEEL_IOC_SUBMIT, &submit, "WHEEL_IOC_SUBMIT");
	return submit.now;
}

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
				device_fail("WHEEL_IOC_SUBMIT", errno, call_advice(errno));
		} else if (submit.done != submit.count) {
			fail(EXIT_DEVICE, "%s: WHEEL_IOC_SUBMIT completed %u of %u operations",
			     globals.device, submit.done, submit.count);
		}
		at += submit.done;
	}
}

static void *map(int fd, size_t size, int protection, off_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, (size + page - 1) / page * page, protection, MAP_SHARED, fd,
			    offset);

	if (memory == MAP_FAILED)
		fail(EXIT_DEVICE, "mmap of the completion ring: %s", strerror(errno));
	return memory;
}

/* The mappings exist until the program exits. */
static void ring_map(struct ring *r, int fd, u32 entries)
{
	r->kernel = map(fd, sizeof(*r->kernel), PROT_READ, WHEEL_OFF_KERNEL);
	r->user = map(fd, sizeof(*r->user), PROT_READ | PROT_WRITE, WHEEL_OFF_USER);
	r->event = map(fd, entries * sizeof(*r->event), PROT_READ, WHEEL_OFF_EVENTS);
	r->entries = entries;
}

/* Due timers whose events are not in the ring expire in ENTER. */
static u32 ring_take(struct device *d, struct wheel_event *events, u32 count)
{
	struct wheel_enter enter = { .size = sizeof(enter) };
	struct ring *r = &d->ring;
	u32 head = r->user->event_head;
	u32 taken = 0, tail;

	if (__atomic_load_n(&r->kernel->kflags, __ATOMIC_RELAXED) & WHEEL_RING_BACKLOG)
		call(d, WHEEL_IOC_ENTER, &enter, "WHEEL_IOC_ENTER");
	tail = __atomic_load_n(&r->kernel->event_tail, __ATOMIC_ACQUIRE);

	while (head != tail && taken < count)
		events[taken++] = r->event[head++ & (r->entries - 1)];
	__atomic_store_n(&r->user->event_head, head, __ATOMIC_RELEASE);
	return taken;
}

void device_setup(struct device *d, struct wheel_setup *setup)
{
	setup->size = sizeof(*setup);
	call(d, WHEEL_IOC_SETUP, setup, "WHEEL_IOC_SETUP");
	d->clock = setup->clock;
	if (setup->events)
		ring_map(&d->ring, d->fd, setup->events);
}

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

u32 device_read(struct device *d, struct wheel_event *events, u32 count)
{
	ssize_t bytes;

	if (d->ring.entries)
		return ring_take(d, events, count);
	do {
		bytes = read(d->fd, events, count * sizeof(*events));
	} while (bytes < 0 && errno == EINTR);
	if (bytes < 0 && errno == EAGAIN)
		return 0;
	if (bytes < 0)
		device_fail("read", errno, call_advice(errno));
	if (!bytes || bytes % (ssize_t)sizeof(*events))
		fail(EXIT_DEVICE, "%s: read returned %zd bytes, but the size of an event is %zu",
		     globals.device, bytes, sizeof(*events));
	return (u32)((size_t)bytes / sizeof(*events));
}

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
		fail(EXIT_DEVICE, "cannot read the clock %s", clock_name(d->clock));
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

/* Returns the expiry time of the earliest timer, or NEVER if none is pending. */
static u64 move_clock(struct device *d, u64 to)
{
	struct wheel_advance advance = { .size = sizeof(advance), .now = to };

	call(d, WHEEL_IOC_ADVANCE, &advance, "WHEEL_IOC_ADVANCE");
	d->moved_to = advance.now;
	return advance.next;
}

/* Move a VIRTUAL clock to the earliest timer, but not beyond @until. */
static void move_to_next(struct device *d, u64 until)
{
	u64 next = move_clock(d, d->moved_to);

	if (until > WHEEL_MAX_TIME)
		until = WHEEL_MAX_TIME;
	move_clock(d, next < until ? next : until);
}

void device_wait(struct device *d, u64 until, int other)
{
	struct pollfd fds[] = {
		{ .fd = d->fd, .events = POLLIN },
		{ .fd = other, .events = POLLIN },
	};
	bool is_virtual = d->clock == WHEEL_CLOCK_VIRTUAL;
	struct timespec timeout = { 0 };
	u64 now = device_now(d);

	if (is_virtual) {
		move_to_next(d, until);
	} else if (until > now) {
		timeout.tv_sec = (time_t)((until - now) / NSEC_PER_SEC);
		timeout.tv_nsec = (long)((until - now) % NSEC_PER_SEC);
	}
	if (ppoll(fds, ARRAY_SIZE(fds), until == NEVER && !is_virtual ? NULL : &timeout,
		  NULL) < 0 && errno != EINTR)
		device_fail("poll", errno, "");
	if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL))
		fail(EXIT_DEVICE, "%s: poll reports that the wheel no longer exists",
		     globals.device);
}
