/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program's side of touch words and kept timers: mapping, changing words with
 * compare-and-swap, and kicks.
 */
#ifndef _WHEEL_WORDS_H
#define _WHEEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/wheel_timer.h>

#define WT_OFF		WHEEL_TOUCH_IDLE
#define WT_PARKED	WHEEL_TOUCH_PARKED

/* Map an area of a file. On failure, returns NULL and sets errno. */
void *wt_map_at(int fd, size_t size, int prot, off_t offset);
/* Size of the mapping of @timers touch words. */
size_t wt_words_len(__u32 timers);
/* Map the words of a wheel. On failure, returns NULL and sets errno. */
__u64 *wt_map(int fd, __u32 timers);
int wt_unmap(__u64 *words, __u32 timers);
/* Let children inherit a mapping. Returns false if the kernel, a newer one, does not allow it. */
bool wt_bequeath(void *map, size_t len);

/* Files with touch words. All return a file descriptor or a negative errno. */
int wt_open_touch(__u32 clock, __u32 timers, __u64 tick_ns);
int wt_open_touch_virtual(__u32 timers, __u64 tick_ns);

/* A file with a virtual clock and its mapped words. Returns the descriptor or a negative errno. */
int wt_open_words(__u32 timers, __u64 tick_ns, __u64 **words);
void wt_close_words(int fd, __u32 timers, __u64 *words);

/* Arm with WHEEL_OP_TOUCH. Returns wheel_op.res, like wt_arm(). */
int wt_arm_touch(int fd, __u64 id, __u64 when);
/* Let the kernel scan the kept timers. Returns the number of events, or a negative errno. */
int wt_kick(int fd);

static inline __u64 wt_word(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Store a word without compare-and-swap, as a program must not do. */
static inline void wt_scribble(__u64 *word, __u64 value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline bool wt_cas(__u64 *word, __u64 from, __u64 to)
{
	return __atomic_compare_exchange_n(word, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Park an armed timer. Returns false if its word changed or contained no deadline. */
static inline bool wt_park(__u64 *word)
{
	__u64 old = wt_word(word);

	return old && !(old & WT_OFF) && wt_cas(word, old, WT_PARKED);
}

/* Change the deadline of an armed timer. Returns false if its word changed or had no deadline. */
static inline bool wt_touch(__u64 *word, __u64 when)
{
	__u64 old = wt_word(word);

	return old && !(old & WT_OFF) && wt_cas(word, old, when);
}

static inline bool wt_revive(__u64 *word, __u64 when)
{
	return wt_cas(word, WT_PARKED, when);
}

#endif
