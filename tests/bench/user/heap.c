// SPDX-License-Identifier: GPL-2.0
/*
 * A user-space binary heap with one timerfd. The timerfd is set only if the earliest
 * deadline becomes earlier. If it became later, the timerfd expires once unnecessarily.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "contestant.h"
#include "machine.h"

struct entry {
	__u64 deadline;
	__u32 timer;
};

/* The heap, and the index in it of each timer. */
static struct entry *entries;
static __u32 *place;
static __u32 pending;

static int fd;
static int epoll;
static __u64 set_to;

static void open_heap(__u32 count, unsigned int with)
{
	struct epoll_event event = { .events = EPOLLIN };

	(void)with;
	entries = allocate(count * sizeof(*entries));
	place = allocate(count * sizeof(*place));
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("timerfd_create");
}

static void close_heap(void)
{
	close(epoll);
	close(fd);
	pending = 0;
	set_to = 0;
}

static inline void put(__u32 at, struct entry entry)
{
	entries[at] = entry;
	place[entry.timer] = at;
}

static void rise(__u32 at, struct entry entry)
{
	while (at) {
		__u32 parent = (at - 1) / 2;

		if (entries[parent].deadline <= entry.deadline)
			break;
		put(at, entries[parent]);
		at = parent;
	}
	put(at, entry);
}

static void sink(__u32 at, struct entry entry)
{
	__u32 child;

	while ((child = 2 * at + 1) < pending) {
		if (child + 1 < pending &&
		    entries[child + 1].deadline < entries[child].deadline)
			child++;
		if (entry.deadline <= entries[child].deadline)
			break;
		put(at, entries[child]);
		at = child;
	}
	put(at, entry);
}

/* Restore the heap order after the entry at @at was replaced by @entry. */
static void settle(__u32 at, struct entry entry)
{
	if (at && entry.deadline < entries[(at - 1) / 2].deadline)
		rise(at, entry);
	else
		sink(at, entry);
}

static inline void tell_kernel(void)
{
	struct itimerspec time = {};

	if (!pending || (set_to && set_to <= entries[0].deadline))
		return;
	set_to = entries[0].deadline;
	time.it_value = timespec_of(set_to);
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL))
		die("timerfd_settime");
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		rise(pending++, (struct entry){ deadlines[i], timers[i] });
		tell_kernel();
	}
}

static void rearm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		  __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		settle(place[timers[i]],
		       (struct entry){ deadlines[i], timers[i] });
		tell_kernel();
	}
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		__u32 at = place[timers[i]];

		if (at != --pending)
			settle(at, entries[pending]);
	}
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		if (!__atomic_load_n(&entries[place[timers[i]]].deadline,
				     __ATOMIC_RELAXED))
			die("a timer has no deadline");
}

static __u32 take(__u32 batch)
{
	struct epoll_event event;
	__u64 expirations;
	__u32 taken = 0;
	__u64 time;

	(void)batch;
	if (!epoll_wait(epoll, &event, 1, 0))
		return 0;
	if (read(fd, &expirations, 8) != 8)
		die("read of the timerfd");
	time = now();
	while (pending && entries[0].deadline <= time) {
		if (--pending)
			sink(0, entries[pending]);
		taken++;
	}
	set_to = 0;
	tell_kernel();
	return taken;
}

const struct contestant heap = {
	.name = "heap",
	.open = open_heap, .close = close_heap, .take = take,
	.arm = arm, .rearm = rearm, .cancel = cancel, .query = query,
};
