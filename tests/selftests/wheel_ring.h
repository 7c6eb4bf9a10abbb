/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wheel with a completion ring, and the program's side of that ring.
 */
#ifndef _WHEEL_RING_H
#define _WHEEL_RING_H

#include <stdbool.h>
#include <linux/wheel_timer.h>

/* An @until of WHEEL_IOC_ENTER: no timeout. */
#define WT_FOREVER	(~0ULL)

struct wt_ring {
	int fd;
	struct wheel_setup setup;
	struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	struct wheel_event *events;
};

/* Set up a wheel with a ring and map it. On failure, returns false and sets errno. */
bool wt_ring_open(struct wt_ring *ring, const struct wheel_setup *setup);
/* The same with a virtual clock. */
bool wt_ring_open_virtual(struct wt_ring *ring, __u32 timers, __u32 events);
void wt_ring_unmap(struct wt_ring *ring);

/* WHEEL_IOC_ENTER without a kick. Returns 0 or a negative errno. */
int wt_enter(int fd, __u32 wait, __u64 until, struct wheel_enter *e);

static inline __u32 wt_ring_tail(const struct wt_ring *ring)
{
	return __atomic_load_n(&ring->kernel->event_tail, __ATOMIC_ACQUIRE);
}

/* The flags of the ring: WHEEL_RING_BACKLOG. Read them after wt_ring_take(). */
static inline __u32 wt_ring_flags(const struct wt_ring *ring)
{
	return __atomic_load_n(&ring->kernel->kflags, __ATOMIC_SEQ_CST);
}

/* Mark all events before position @head as taken. */
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
