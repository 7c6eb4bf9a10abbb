// SPDX-License-Identifier: GPL-2.0
/*
 * The program's side of the completion ring.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "wheel_ring.h"
#include "wheel_test.h"

static void *map(int fd, size_t size, int prot, off_t offset)
{
	void *area = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return area == MAP_FAILED ? NULL : area;
}

bool wt_ring_open(struct wt_ring *ring, const struct wheel_setup *setup)
{
	ring->setup = *setup;
	ring->setup.size = sizeof(*setup);
	ring->fd = wt_open_setup(O_RDWR, &ring->setup);
	if (ring->fd < 0)
		return false;
	ring->kernel = map(ring->fd, sizeof(*ring->kernel), PROT_READ,
			   WHEEL_OFF_KERNEL);
	ring->user = map(ring->fd, sizeof(*ring->user), PROT_READ | PROT_WRITE,
			 WHEEL_OFF_USER);
	ring->events = map(ring->fd, ring->setup.events * sizeof(*ring->events),
			   PROT_READ, WHEEL_OFF_EVENTS);
	return ring->kernel && ring->user && ring->events;
}

bool wt_ring_open_virtual(struct wt_ring *ring, __u32 timers, __u32 events)
{
	const struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = timers, .events = events,
	};

	return wt_ring_open(ring, &setup);
}

void wt_ring_unmap(struct wt_ring *ring)
{
	munmap(ring->kernel, sizeof(*ring->kernel));
	munmap(ring->user, sizeof(*ring->user));
	munmap(ring->events, ring->setup.events * sizeof(*ring->events));
}

int wt_enter(int fd, __u32 wait, __u64 until, struct wheel_enter *e)
{
	memset(e, WT_POISON, sizeof(*e));
	e->size = sizeof(*e);
	e->flags = 0;
	e->wait = wait;
	e->until = until;
	return wt_ioctl(fd, WHEEL_IOC_ENTER, e);
}
