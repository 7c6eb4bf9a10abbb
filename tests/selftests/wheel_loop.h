/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event loop's file: touch words and a completion ring.
 */
#ifndef _WHEEL_LOOP_H
#define _WHEEL_LOOP_H

#include "wheel_ring.h"

/* A file with both, and how far the program has taken events. */
struct wt_loop {
	struct wt_ring ring;
	__u32 head;
	__u64 *words;
};

/* Set up and map everything; what was the loop before is forgotten. */
bool wt_loop_open(struct wt_loop *loop, const struct wheel_setup *setup);
void wt_loop_unmap(struct wt_loop *loop);

/* How many events are in the ring, and the first of them. */
__u32 wt_loop_ready(const struct wt_loop *loop);
const struct wheel_event *wt_loop_next(const struct wt_loop *loop);
/* So many events have been read. */
void wt_loop_take(struct wt_loop *loop, __u32 n);
/* Do events wait for room? To be asked after room was made. */
bool wt_loop_backlog(const struct wt_loop *loop);
/* WHEEL_IOC_ENTER: 0 or a negative errno. */
int wt_loop_enter(struct wt_loop *loop, __u32 wait, __u64 until);

#endif
