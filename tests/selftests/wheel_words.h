/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program's side of words: mapping, changing words with compare-and-swap, doorbells, kicks.
 */
#ifndef _WHEEL_WORDS_H
#define _WHEEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/wheel_timer.h>

#define WT_OFF		WHEEL_WORD_IDLE
#define WT_PARKED	WHEEL_WORD_PARKED

/* Map an area of a file. On failure, returns NULL and sets errno. */
void *wt_map_at(int fd, size_t size, int prot, off_t offset);
/* Size of the mapping of @timers words. */
size_t wt_words_len(__u32 timers);
/* Map the words of a wheel. On failure, returns NULL and sets errno. */
__u64 *wt_map(int fd, __u32 timers);
int wt_unmap(__u64 *words, __u32 timers);
/* Let children inherit a mapping. Returns false if the kernel, a newer one, does not allow it. */
bool wt_bequeath(void *map, size_t len);

/* Files with words. All return a file descriptor or a negative errno. */
int wt_open_clock_words(__u32 clock, __u32 timers, __u64 tick_ns);
int wt_open_virtual_words(__u32 timers, __u64 tick_ns);

/* A file with a virtual clock and its mapped words. Returns the descriptor or a negative errno. */
int wt_open_words(__u32 timers, __u64 tick_ns, __u64 **words);
void wt_close_words(int fd, __u32 timers, __u64 *words);

/* Arm with WHEEL_OP_WORD. Returns wheel_op.res, like wt_arm(). */
int wt_arm_word(int fd, __u64 id, __u64 when);
/* Let the kernel scan the words. Returns the number of events, or a negative errno. */
int wt_kick(int fd);

/* A file with words, with all its areas mapped. */
struct wt_areas {
	int fd;
	__u32 timers;
	__u64 *words;
	__u64 *bells;
	__u64 *summary;
	struct wheel_kernel_page *kernel;
};

bool wt_areas_open(struct wt_areas *areas, const struct wheel_setup *setup);
void wt_areas_close(struct wt_areas *areas);
/* Set the doorbell of a slot, and its bit of the summary. */
void wt_ring_bell(struct wt_areas *areas, __u32 slot);
/*
 * Change a word as a program does: exchange it, and notify the kernel if it must detect the change
 * early. Returns 1 if this needed a kick, 0 if not, or -1 if the word was not @from.
 */
int wt_set_word(struct wt_areas *areas, __u32 slot, __u64 from, __u64 to);

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
static inline bool wt_push(__u64 *word, __u64 when)
{
	__u64 old = wt_word(word);

	return old && !(old & WT_OFF) && wt_cas(word, old, when);
}

/* Arm a parked timer without a notification. */
static inline bool wt_unpark(__u64 *word, __u64 when)
{
	return wt_cas(word, WT_PARKED, when);
}

#endif
