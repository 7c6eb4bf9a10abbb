/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wheel whose events come by the completion ring, and the program's side of that.
 */
#ifndef _WHEEL_RING_H
#define _WHEEL_RING_H

#include <stdbool.h>
#include <linux/wheel_timer.h>

/* Until when one may wait in ENTER. */
#define WT_FOREVER	(~0ULL)

struct wt_ring {
	int fd;
	struct wheel_setup setup;
	struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	struct wheel_event *events;
};

/* With a clock, timers and events. Returns false with errno set: there is no such wheel. */
bool wt_ring_open(struct wt_ring *ring, const struct wheel_setup *setup);
/* The same, on a clock that is moved by hand. */
bool wt_ring_open_virtual(struct wt_ring *ring, __u32 timers, __u32 events);
void wt_ring_unmap(struct wt_ring *ring);

/* WHEEL_IOC_ENTER without a kick: 0 or a negative errno. */
int wt_enter(int fd, __u32 wait, __u64 until, struct wheel_enter *e);

static inline __u32 wt_ring_tail(const struct wt_ring *ring)
{
	return __atomic_load_n(&ring->kernel->event_tail, __ATOMIC_ACQUIRE);
}

/* WHEEL_RING_BACKLOG: to be asked after room was made. */
static inline __u32 wt_ring_flags(const struct wt_ring *ring)
{
	return __atomic_load_n(&ring->kernel->kflags, __ATOMIC_SEQ_CST);
}

/* All events before this position are taken. */
static inline void wt_ring_take(struct wt_ring *ring, __u32 head)
{
	__atomic_store_n(&ring->user->event_head, head, __ATOMIC_SEQ_CST);
}

static inline const struct wheel_event *wt_ring_at(const struct wt_ring *ring,
						   __u32 at)
{
	return &ring->events[at % ring->setup.events];
}

#endif
