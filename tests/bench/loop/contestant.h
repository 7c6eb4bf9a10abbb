/* SPDX-License-Identifier: GPL-2.0 */
/* The interface of the timer implementations for an event loop. */
#ifndef _BENCH_CONTESTANT_H
#define _BENCH_CONTESTANT_H

#include <linux/types.h>

#define TIMERS	1000

/**
 * struct contestant - timer implementation
 * @name: printed name
 * @every_ms: interval at which the loop must call @take; -1 if only on events
 * @open: creates TIMERS idle timers and adds their descriptors to an epoll instance
 * @arm: arms an idle timer for a CLOCK_MONOTONIC time
 * @take: calls fired() for each expired timer; @data is that of the epoll_event
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
