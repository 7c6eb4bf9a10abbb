/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event loop's file: words and a completion ring.
 */
#ifndef _WHEEL_LOOP_H
#define _WHEEL_LOOP_H

#include "wheel_ring.h"

/* A file with words and a ring; @head counts the events that the program has taken. */
struct wt_loop {
	struct wt_ring ring;
	__u32 head;
	__u64 *words;
};

/* Set up the file and map all areas. Overwrites *loop. */
bool wt_loop_open(struct wt_loop *loop, const struct wheel_setup *setup);

/* The number of events in the ring. */
__u32 wt_loop_ready(const struct wt_loop *loop);
/* Mark @n events as taken. */
void wt_loop_take(struct wt_loop *loop, __u32 n);
/* WHEEL_IOC_ENTER. Returns 0 or a negative errno. */
int wt_loop_enter(struct wt_loop *loop, __u32 wait, __u64 until);

#endif
