// SPDX-License-Identifier: GPL-2.0
#include <sys/mman.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

static void *map(int fd, size_t size, int prot, off_t offset)
{
	void *area = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return area == MAP_FAILED ? NULL : area;
}

static size_t events_size(const struct wt_loop *l)
{
	return l->entries * sizeof(*l->events);
}

bool wt_loop_open(struct wt_loop *l, const struct wheel_setup *wanted)
{
	struct wheel_setup setup = *wanted;
	int rw = PROT_READ | PROT_WRITE;

	setup.flags |= WHEEL_SETUP_TOUCH;
	memset(l, 0, sizeof(*l));
	l->fd = wt_open_setup(0, &setup);
	if (l->fd < 0)
		return false;
	l->timers = setup.timers;
	l->entries = setup.events;
	l->words = wt_map(l->fd, l->timers);
	l->kernel = map(l->fd, sizeof(*l->kernel), PROT_READ, WHEEL_OFF_KERNEL);
	l->user = map(l->fd, sizeof(*l->user), rw, WHEEL_OFF_USER);
	l->events = map(l->fd, events_size(l), PROT_READ, WHEEL_OFF_EVENTS);
	return l->words && l->kernel && l->user && l->events;
}

void wt_loop_unmap(struct wt_loop *l)
{
	wt_unmap(l->words, l->timers);
	munmap(l->kernel, sizeof(*l->kernel));
	munmap(l->user, sizeof(*l->user));
	munmap(l->events, events_size(l));
}

__u32 wt_loop_ready(const struct wt_loop *l)
{
	return __atomic_load_n(&l->kernel->event_tail, __ATOMIC_ACQUIRE) - l->head;
}

const struct wheel_event *wt_loop_next(const struct wt_loop *l)
{
	return &l->events[l->head % l->entries];
}

void wt_loop_take(struct wt_loop *l, __u32 n)
{
	l->head += n;
	__atomic_store_n(&l->user->event_head, l->head, __ATOMIC_SEQ_CST);
}

bool wt_loop_backlog(const struct wt_loop *l)
{
	return __atomic_load_n(&l->kernel->kflags, __ATOMIC_SEQ_CST) &
		WHEEL_RING_BACKLOG;
}

int wt_loop_enter(struct wt_loop *l, __u32 wait, __u64 until)
{
	struct wheel_enter e = { .size = sizeof(e), .wait = wait, .until = until };

	return wt_ioctl(l->fd, WHEEL_IOC_ENTER, &e);
}
