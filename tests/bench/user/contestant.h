/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A contestant is a way for a program to have many timers. A process has one
 * contestant. A contestant that cannot do something ends by die().
 */
#ifndef _BENCH_CONTESTANT_H
#define _BENCH_CONTESTANT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct contestant - a way to have timers
 * @name: of the column
 * @most: so many, beyond which it takes minutes; 0: any number
 * @oldest: cancels and moves the oldest first, which it is best at
 * @calls: takes operations in batches
 * @takes: takes expiries in batches
 * @wakes: waits for a lone expiry by epoll, if opened WITH_EPOLL
 * @pays: an ordinary user pays for its expiries, by an account
 * @open: make @count idle timers, numbered from 0, with WITH_*
 * @arm: idle timers, each with its deadline, in calls of @batch
 * @rearm: as @arm, pending timers
 * @cancel: pending timers
 * @query: when do these pending timers fire? NULL: it cannot tell
 * @take: take what has expired, @batch at most; 0: nothing now
 * @take_ring: all that has expired, from shared memory; NULL: it has none
 * @close: as if @open had never been
 * @keeps: has kept timers, on wheels of @scheme: kept.h
 * @arm_words: as @arm, and their words govern them; NULL: it has no words
 * @touch: move timers with words to a later deadline
 * @park: cancel timers with words
 * @revive: arm parked timers
 */
struct contestant {
	const char *name;
	__u32 most;
	bool oldest;
	bool calls;
	bool takes;
	bool wakes;
	bool pays;
	void (*open)(__u32 count, unsigned int with);
	void (*arm)(const __u32 *timers, const __u64 *deadlines, __u32 n,
		    __u32 batch);
	void (*rearm)(const __u32 *timers, const __u64 *deadlines, __u32 n,
		      __u32 batch);
	void (*cancel)(const __u32 *timers, __u32 n, __u32 batch);
	void (*query)(const __u32 *timers, __u32 n, __u32 batch);
	__u32 (*take)(__u32 batch);
	__u32 (*take_ring)(__u32 batch);
	void (*close)(void);
	bool keeps;
	__u32 scheme;
	void (*arm_words)(const __u32 *timers, const __u64 *deadlines, __u32 n,
			  __u32 batch);
	void (*touch)(const __u32 *timers, __u32 n, __u64 deadline);
	void (*park)(const __u32 *timers, __u32 n);
	void (*revive)(const __u32 *timers, __u32 n, __u64 deadline);
};

extern const struct contestant hashed;
extern const struct contestant hierarchical;
extern const struct contestant timerfd;
extern const struct contestant posix;
extern const struct contestant uring;
extern const struct contestant heap;
extern const struct contestant field;

/* Timers may come with these. */
#define WITH_WORDS	1
#define WITH_RING	2
/* They wait by epoll before they take. */
#define WITH_EPOLL	4

/* The largest batch there is, and the most timers that expire at once. */
#define MOST_BATCH	4096
#define MOST_WINDOW	16384

/* For the last batch, which may be a smaller one. */
static inline __u32 least(__u32 x, __u32 y)
{
	return x < y ? x : y;
}

#endif
