/* SPDX-License-Identifier: GPL-2.0 */
/* A contestant is a way for an event loop to have timers; one is in use. */
#ifndef _BENCH_CONTESTANT_H
#define _BENCH_CONTESTANT_H

#include <linux/types.h>

#define TIMERS	1000

/**
 * struct contestant - a way to have timers
 * @name: as printed
 * @every_ms: the loop has to look that often, whatever happens; -1: it need not
 * @open: make TIMERS idle timers, whose descriptors go into an epoll
 * @arm: an idle timer is to fire at a time of CLOCK_MONOTONIC
 * @take: take what has fired: call fired() for each; @data is that of an epoll_event
 */
struct contestant {
	const char *name;
	int every_ms;
	void (*open)(int epoll);
	void (*arm)(__u32 timer, __u64 deadline);
	void (*take)(__u32 data);
};

extern const struct contestant wheel;
extern const struct contestant timerfds;
extern const struct contestant field;

__u64 now(void);
void fired(__u32 timer);
void die(const char *what, int err);

#endif
