/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An io_uring instance with one multishot poll.
 */
#ifndef _WHEEL_URING_H
#define _WHEEL_URING_H

#include <stdbool.h>
#include <linux/io_uring.h>
#include <linux/types.h>

/**
 * struct wt_uring - an io_uring
 * @params: parameters returned by io_uring_setup()
 * @sqe: submission queue entries
 * @rings: mapped rings
 * @told: completions read, modulo 2^32
 * @ended: the poll has ended
 * @fd: file descriptor
 */
struct wt_uring {
	struct io_uring_params params;
	struct io_uring_sqe *sqe;
	char *rings;
	__u32 told;
	bool ended;
	int fd;
};

/* Returns false if the kernel has no io_uring. */
bool wt_uring_open(struct wt_uring *uring);
void wt_uring_close(struct wt_uring *uring);
/* Start a multishot poll of a file. */
bool wt_uring_watch(struct wt_uring *uring, int fd);
/* Wait for @wait completions. Returns the events that were reported since the last call. */
int wt_uring_told(struct wt_uring *uring, __u32 wait);

#endif
