/* SPDX-License-Identifier: MIT */
/*
 * A lazy wheel, for timeouts that only one thread uses. Each slot has a word, which the thread
 * changes without notifying the wheel:
 *
 *	word			slot
 *
 *	all bits set		in no bucket: never started, stopped, or expired
 *	deadline		in a bucket that is examined at this time or earlier
 *	deadline and IDLE	stopped, but the same
 *
 * When a bucket is examined, stopped slots leave it, those whose deadline has passed expire, and
 * the others are put into the bucket of their deadline. A slot is in one bucket at most.
 *
 *	bucket		examined at
 *
 *	near		its tick: each of the next LAZY_NEAR ticks has a bucket
 *	far		the earliest deadline that was put into it; on level n, it spans
 *			LAZY_NEAR * 64^n ticks
 *	recent		the same, or when it is full. All started slots are put here first, because
 *			most timeouts are stopped long before they expire
 *
 * It costs time to examine a bucket too early, but changes no result. The clock may therefore be
 * set back. Otherwise, a bucket is not examined before one of its slots may be due, so that an idle
 * program sleeps.
 *
 * A bucket is a list of chunks, which are two cache lines of slot numbers. There are enough for all
 * slots, so nothing here fails.
 */
#ifndef LIBWHEEL_LAZY_H
#define LIBWHEEL_LAZY_H

#include "../../slots/env.h"

/* The near buckets, nine levels of far ones, and the recent slots in place of another level. */
#define LAZY_NEAR	4096U
#define LAZY_LEVEL	64U
#define LAZY_LEVELS	9U
#define LAZY_RECENT	(LAZY_NEAR + LAZY_LEVELS * LAZY_LEVEL)
#define LAZY_BUCKETS	(LAZY_RECENT + 1)

/*
 * A chunk has CHUNK numbers. The first is the end of the chunk that was filled before, or 0; that
 * of an unused chunk links the next one. The second is the bucket.
 */
#define LAZY_CHUNK	32U
#define LAZY_HEAD	2U

/* Number of chunks of recent slots, which are then examined. */
#define LAZY_MOST_RECENT	512U

/* lazy.places of a slot that has expired and whose event was not taken. It is no index. */
#define LAZY_EXPIRED	1U

/* Word of a slot in no bucket. The last deadline of the clock and IDLE have the same value. */
#define LAZY_NOWHERE	(~(u64)0)

/* A slot that has expired. */
struct lazy_expiry {
	u64 deadline;
	u64 fired;
	u32 slot;
};

/**
 * struct lazy - a lazy wheel
 * @words: words of the slots; constant like the following pointers, @slots, @tick and @last
 * @places: per slot: index of its number in @numbers; LAZY_EXPIRED; or 0: it is in no bucket
 * @numbers: chunks; the first one is not used
 * @expiries: ring of expiries that were not taken
 * @end_of_expiries: its end
 * @slots: number of slots
 * @tick: length of a tick
 * @last: tick at the end of the clock
 * @floor: first tick that was not processed
 * @next: boundary of ticks before which no bucket must be examined; WHEEL_NEVER: all are empty
 * @newest: next expiry of the ring that is free
 * @oldest: expiry that is taken next
 * @expired: number of expiries
 * @taken: number of those that were taken
 * @spare: first unused chunk; 0: only those from @used on are unused
 * @used: first chunk that was never used
 * @recent: number of chunks of recent slots
 * @counts: counters
 * @near: bitmap of the near buckets that contain slots; some may be empty
 * @groups: bitmap of the members of @near that are not 0
 * @far: as @near, for the far buckets per level and, at the end, the recent slots
 * @earliest: their earliest deadlines
 * @first: the one of these buckets that is examined first; 0: all are empty
 * @end: per bucket, index after its last number; a multiple of LAZY_CHUNK if it needs a chunk
 */
struct lazy {
	u64 *words;
	u32 *places;
	u32 *numbers;
	struct lazy_expiry *expiries;
	struct lazy_expiry *end_of_expiries;
	u32 slots;
	struct wheel_tick tick;
	u64 last;
	u64 floor;
	u64 next;
	struct lazy_expiry *newest;
	struct lazy_expiry *oldest;
	u64 expired;
	u64 taken;
	u32 spare;
	u32 used;
	u32 recent;
	struct wheel_stats counts;
	u64 near[LAZY_NEAR / 64];
	u64 groups;
	u64 far[LAZY_LEVELS + 1];
	u64 earliest[LAZY_BUCKETS - LAZY_NEAR];
	u32 first;
	u32 end[LAZY_BUCKETS];
};

/* Size of the memory of a wheel, which must be zeroed and aligned to a cache line. */
size_t lazy_memory(u32 slots);
/* Initialize a wheel of zeros. All words are LAZY_NOWHERE. */
void lazy_init(struct lazy *lazy, u64 *words, u32 slots, u64 tick_ns, void *memory);

/* Process all ticks up to @now: slots whose deadlines have passed expire. */
void lazy_advance(struct lazy *lazy, u64 now);
/* Skip all ticks up to @now, which is before @next, or go back to it. Precedes the next two. */
void lazy_skip(struct lazy *lazy, u64 now);
/* Start a slot that is in no bucket. */
void lazy_start(struct lazy *lazy, u32 slot, u64 deadline);
/* Put a slot into another bucket. Its word is its deadline. */
void lazy_move(struct lazy *lazy, u32 slot);
/* Take up to @count expiries. Returns their number. */
u32 lazy_take(struct lazy *lazy, struct wheel_event *events, u32 count);

static inline u64 lazy_unread(const struct lazy *lazy)
{
	return lazy->expired - lazy->taken;
}

static inline void lazy_set(struct lazy *lazy, u32 bucket, u32 at, u32 slot)
{
	lazy->numbers[at] = slot;
	lazy->places[slot] = at;
	lazy->end[bucket] = at + 1;
}

/* lazy_start() unless the slot is the first one of a chunk, or due before all other recent ones. */
static inline bool lazy_start_quickly(struct lazy *lazy, u32 slot, u64 deadline)
{
	u32 at = lazy->end[LAZY_RECENT];

	if (unlikely(!(at % LAZY_CHUNK) || deadline < lazy->earliest[LAZY_RECENT - LAZY_NEAR]))
		return false;
	lazy->words[slot] = deadline;
	lazy_set(lazy, LAZY_RECENT, at, slot);
	return true;
}

#endif
