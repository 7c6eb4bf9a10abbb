/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of the timer implementations that a program can use. A process
 * uses one of them. On errors, an implementation calls die().
 */
#ifndef _BENCH_CONTESTANT_H
#define _BENCH_CONTESTANT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct contestant - timer implementation
 * @name: column heading
 * @oldest: operations start with the oldest timers, which is the best case
 * @calls: supports batches of operations
 * @takes: supports batches of expiries
 * @reads_clock: the program reads the clock to start a timer after a delay
 * @wakes: waits for a single expiry with epoll, if opened with WITH_EPOLL
 * @open: creates @count idle timers, numbered from 0, with WITH_* flags
 * @arm: arms idle timers for the given deadlines, @batch per system call
 * @rearm: moves pending timers to the given deadlines, @batch per system call
 * @cancel: cancels pending timers, @batch per system call
 * @query: reads the deadlines of pending timers; NULL if not supported
 * @take: takes at most @batch expired timers; returns 0 if none has expired
 * @take_ring: takes all expired timers from shared memory; NULL if not supported
 * @wait: sleeps until a timer expires, but no longer than the given time, and takes all expired
 *	timers; needs WITH_WAIT
 * @repeat: starts a periodic timer, which @wait takes; needs WITH_WAIT; NULL if not supported
 * @close: releases everything that @open created
 * @has_words: supports words, on wheels of @scheme, see words.h
 * @scheme: scheme of the wheel; valid only if @has_words is set
 * @backend: backend of libwheel for the words; valid only if @has_words is set
 */
struct contestant {
	const char *name;
	bool oldest;
	bool calls;
	bool takes;
	bool reads_clock;
	bool wakes;
	void (*open)(__u32 count, unsigned int with);
	void (*arm)(const __u32 *timers, const __u64 *deadlines, __u32 n,
		    __u32 batch);
	void (*rearm)(const __u32 *timers, const __u64 *deadlines, __u32 n,
		      __u32 batch);
	void (*cancel)(const __u32 *timers, __u32 n, __u32 batch);
	void (*query)(const __u32 *timers, __u32 n, __u32 batch);
	__u32 (*take)(__u32 batch);
	__u32 (*take_ring)(__u32 batch);
	__u32 (*wait)(__u64 until);
	void (*repeat)(__u32 timer, __u64 period);
	void (*close)(void);
	bool has_words;
	__u32 scheme;
	__u32 backend;
};

extern const struct contestant hashed;
extern const struct contestant hierarchical;
extern const struct contestant library;
extern const struct contestant timerfd;
extern const struct contestant uring;
extern const struct contestant heap;
extern const struct contestant lazy_heap;

/* Flag of open(): a completion ring. */
#define WITH_RING	1
/* Flag of open(): wait with epoll before taking expiries. */
#define WITH_EPOLL	2
/* Flag of open(): wait() is used instead of take() and take_ring(). */
#define WITH_WAIT	4

/* Measure an implementation with @count timers. Must be called in a separate process. */
void measure(const struct contestant *contestant, __u32 count);
/* Measure the work of the whole machine while a program sleeps. NULL: a program without timers. */
void measure_sleep(const struct contestant *contestant, __u32 count);

/* The maximum batch, and the maximum number of timers that expire at once. */
#define MOST_BATCH	4096
#define MOST_WINDOW	16384

/* Limits the size of the last batch. */
static inline __u32 least(__u32 x, __u32 y)
{
	return x < y ? x : y;
}

#endif
