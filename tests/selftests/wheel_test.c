// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wheel_test.h"

#define BATCH	1024

/* Without the device, the program reports that its tests are skipped. */
static void __attribute__((constructor)) need_device(void)
{
	if (!access(WT_DEVICE, F_OK))
		return;
	printf("TAP version 13\n1..0 # SKIP no " WT_DEVICE "\n");
	exit(4);
}

int wt_open(int flags)
{
	int fd = open(WT_DEVICE, O_RDWR | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

int wt_open_setup(int flags, struct wheel_setup *setup)
{
	int fd = wt_open(flags);
	int ret;

	if (fd < 0)
		return fd;
	ret = wt_setup(fd, setup);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int open_clock(int flags, __u32 clock, __u32 timers, __u64 tick_ns)
{
	struct wheel_setup setup = {
		.clock = clock, .tick_ns = tick_ns, .timers = timers,
	};

	return wt_open_setup(flags, &setup);
}

int wt_open_clock(__u32 clock, __u32 timers, __u64 tick_ns)
{
	return open_clock(0, clock, timers, tick_ns);
}

/* Only ADVANCE moves a virtual clock, so calls must not block. */
int wt_open_virtual(__u32 timers, __u64 tick_ns)
{
	return open_clock(O_NONBLOCK, WHEEL_CLOCK_VIRTUAL, timers, tick_ns);
}

int wt_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

int wt_setup(int fd, struct wheel_setup *setup)
{
	setup->size = sizeof(*setup);
	memset(&setup->features, WT_POISON, sizeof(setup->features));
	return wt_ioctl(fd, WHEEL_IOC_SETUP, setup);
}

int wt_info(int fd, struct wheel_setup *setup)
{
	memset(setup, WT_POISON, sizeof(*setup));
	setup->size = sizeof(*setup);
	setup->flags = 0;
	return wt_ioctl(fd, WHEEL_IOC_INFO, setup);
}

int wt_submit(int fd, struct wheel_op *ops, __u32 count,
	      struct wheel_submit *batch)
{
	__u32 failed = 0;
	__u32 i;
	int ret;

	memset(batch, WT_POISON, sizeof(*batch));
	batch->size = sizeof(*batch);
	batch->flags = 0;
	batch->ops = wt_addr(ops);
	batch->op_size = sizeof(*ops);
	batch->count = count;
	for (i = 0; i < count; i++)
		memset(&ops[i].res, WT_POISON, sizeof(ops[i].res));
	ret = wt_ioctl(fd, WHEEL_IOC_SUBMIT, batch);
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		if (ops[i].res < -4095 || ops[i].res > 1)
			return WT_LIES;
		failed += ops[i].res < 0;
	}
	if (batch->done != count || batch->failed != failed ||
	    batch->now > WHEEL_MAX_TIME)
		return WT_LIES;
	return 0;
}

int wt_batch(int fd, struct wheel_op *ops, __u32 count)
{
	struct wheel_submit batch;

	return wt_submit(fd, ops, count, &batch);
}

int wt_list(int fd, __u32 flags, struct wheel_op *timers, __u32 count,
	    struct wheel_list *list)
{
	__u32 cursor = list->cursor;

	memset(timers, WT_POISON, count * sizeof(*timers));
	memset(list, WT_POISON, sizeof(*list));
	list->size = sizeof(*list);
	list->flags = flags;
	list->timers = wt_addr(timers);
	list->op_size = sizeof(*timers);
	list->count = count;
	list->cursor = cursor;
	return wt_ioctl(fd, WHEEL_IOC_LIST, list);
}

int wt_stop(int fd, __u64 *unfired)
{
	struct wheel_stop stop = { .size = sizeof(stop) };
	int ret;

	memset(&stop.unfired, WT_POISON, sizeof(stop.unfired));
	ret = wt_ioctl(fd, WHEEL_IOC_STOP, &stop);
	*unfired = stop.unfired;
	return ret;
}

int wt_advance(int fd, __u64 now, __u64 *next)
{
	struct wheel_advance advance = { .size = sizeof(advance), .now = now };
	int ret;

	memset(&advance.next, WT_POISON, sizeof(advance.next));
	ret = wt_ioctl(fd, WHEEL_IOC_ADVANCE, &advance);
	if (next)
		*next = advance.next;
	if (!ret && advance.now < now)
		return WT_LIES;
	return ret;
}

int wt_stats(int fd, struct wheel_stats *stats)
{
	memset(stats, WT_POISON, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->flags = 0;
	return wt_ioctl(fd, WHEEL_IOC_STATS, stats);
}

bool wt_balanced(const struct wheel_stats *stats)
{
	__u64 late = 0;
	int i;

	for (i = 0; i < 64; i++)
		late += stats->late[i];
	return late == stats->fired &&
		stats->armed == stats->fired + stats->cancelled + stats->pending;
}

struct wheel_op wt_op(__u32 op, __u64 id, __u64 when)
{
	struct wheel_op o = { .op = op, .id = id, .when = when };

	if (op == WHEEL_OP_ARM)
		o.cookie = ~id;
	return o;
}

int wt_do(int fd, struct wheel_op *op)
{
	int ret = wt_batch(fd, op, 1);

	return ret ? WT_CALL(-ret) : op->res;
}

int wt_arm(int fd, __u64 id, __u64 when)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, id, when);

	return wt_do(fd, &op);
}

int wt_arm_rel(int fd, __u64 id, __u64 delay)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, id, delay);

	op.flags = WHEEL_OP_REL;
	return wt_do(fd, &op);
}

int wt_arm_every(int fd, __u64 id, __u64 when, __u64 period)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, id, when);

	op.period = period;
	return wt_do(fd, &op);
}

int wt_rearm(int fd, __u64 id, __u64 when)
{
	struct wheel_op op = wt_op(WHEEL_OP_REARM, id, when);

	return wt_do(fd, &op);
}

int wt_cancel(int fd, __u64 id)
{
	struct wheel_op op = wt_op(WHEEL_OP_CANCEL, id, 0);

	return wt_do(fd, &op);
}

int wt_query(int fd, __u64 id, __u64 *when)
{
	struct wheel_op op = wt_op(WHEEL_OP_QUERY, id, 0);
	int ret;

	memset(&op.when, WT_POISON, sizeof(op.when));
	ret = wt_do(fd, &op);
	if (when)
		*when = op.when;
	return ret;
}

int wt_arm_many(int fd, __u32 count, __u64 gen, __u64 when)
{
	return wt_arm_like(fd, count, wt_op(WHEEL_OP_ARM, WHEEL_ID(0, gen), when));
}

int wt_arm_like(int fd, __u32 count, struct wheel_op first)
{
	static struct wheel_op ops[BATCH];
	struct wheel_submit batch;
	__u32 done, i, n;
	int ret;

	for (done = 0; done < count; done += n) {
		n = count - done < BATCH ? count - done : BATCH;
		for (i = 0; i < n; i++, first.id++)
			ops[i] = first;
		ret = wt_submit(fd, ops, n, &batch);
		if (ret)
			return WT_CALL(-ret);
		for (i = 0; batch.failed && i < n; i++)
			if (ops[i].res)
				return ops[i].res;
	}
	return 0;
}

int wt_read(int fd, struct wheel_event *events, size_t room)
{
	ssize_t got;

	memset(events, WT_POISON, room * sizeof(*events));
	got = read(fd, events, room * sizeof(*events));
	if (got < 0)
		return -errno;
	if (!got || got % sizeof(*events))
		return WT_LIES;
	return got / sizeof(*events);
}

int wt_read_all(int fd, struct wheel_event *events, size_t room, size_t want)
{
	size_t got = 0;
	int ret;

	while (got < want && got < room) {
		ret = wt_read(fd, events + got, room - got);
		if (ret == -EAGAIN)
			break;
		if (ret < 0)
			return ret;
		got += ret;
	}
	return got;
}

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0);
}

/* POLLIN may also mean that a pass is left to the program, and any operation runs one. */
bool wt_quiet(int fd)
{
	__u64 when;

	if (readable(fd))
		wt_query(fd, WHEEL_ID(0, ~0U), &when);
	return !readable(fd);
}

/* Wait for an event and read it. POLLIN may also mean that a pass is left to the program. */
int wt_next(int fd, struct wheel_event *event)
{
	int ret;

	do {
		ret = wt_wait(fd);
		if (ret < 0)
			return ret;
		ret = wt_read(fd, event, 1);
	} while (ret == -EAGAIN);
	return ret;
}

/* Run a step of the pass if it is left to the program, by an operation that changes nothing. */
int wt_run(int fd)
{
	int ret = wt_query(fd, WHEEL_ID(0, WHEEL_ID_GEN(~0ULL)), NULL);

	return ret == -ENOENT ? 0 : ret;
}

int wt_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, -1) < 0 ? -errno : p.revents;
}
