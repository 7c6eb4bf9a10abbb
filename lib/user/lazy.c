// SPDX-License-Identifier: MIT
/*
 * The lazy wheel: see lazy.h.
 */
#include "lazy.h"

#define NEAR_BITS	12
#define LEVEL_BITS	6

/*
 * Enough chunks for all slots. Each bucket has one chunk that is not full, and another one was
 * emptied. The first chunk is not used.
 */
static size_t chunks(u32 slots)
{
	return slots / (LAZY_CHUNK - LAZY_HEAD) + min(slots, LAZY_BUCKETS) + 2;
}

size_t lazy_memory(u32 slots)
{
	return chunks(slots) * LAZY_CHUNK * sizeof(u32) +
	       slots * (sizeof(struct lazy_expiry) + sizeof(u32));
}

void lazy_init(struct lazy *lazy, u64 *words, u32 slots, u64 tick_ns, void *memory)
{
	lazy->words = words;
	lazy->numbers = memory;
	lazy->expiries = (void *)(lazy->numbers + chunks(slots) * LAZY_CHUNK);
	lazy->end_of_expiries = lazy->expiries + slots;
	lazy->places = (void *)lazy->end_of_expiries;
	lazy->slots = slots;
	wheel_tick_init(&lazy->tick, tick_ns);
	lazy->last = wheel_tick_ceil(&lazy->tick, WHEEL_END_NS);
	lazy->floor = 1;
	lazy->next = WHEEL_NEVER;
	lazy->newest = lazy->expiries;
	lazy->oldest = lazy->expiries;
	lazy->used = LAZY_CHUNK;
}

/* Ticks */

/* The end of the clock is a boundary. */
static u64 tick_at(const struct lazy *lazy, u64 now)
{
	return now >= WHEEL_END_NS ? lazy->last : wheel_tick_floor(&lazy->tick, now);
}

static u64 time_of(const struct lazy *lazy, u64 tick)
{
	return min(tick * lazy->tick.ns, WHEEL_END_NS);
}

/* The tick of a deadline, which is not 0. It may have been processed. */
static inline u64 tick_of(const struct lazy *lazy, u64 deadline)
{
	return wheel_tick_floor(&lazy->tick, deadline - 1) + 1;
}

/* The tick at which a slot is due that is put into a bucket now. */
static u64 due_tick(const struct lazy *lazy, u64 deadline)
{
	return max(tick_of(lazy, deadline), lazy->floor);
}

/* Buckets */

static void mark(struct lazy *lazy, u32 bucket)
{
	lazy->near[bucket / 64] |= (u64)1 << bucket % 64;
	lazy->groups |= (u64)1 << bucket / 64;
}

static void unmark(struct lazy *lazy, u32 bucket)
{
	lazy->near[bucket / 64] &= ~((u64)1 << bucket % 64);
	if (!lazy->near[bucket / 64])
		lazy->groups &= ~((u64)1 << bucket / 64);
}

/* Begin another chunk of a bucket. Returns the index of its first number. */
static noinline u32 grow(struct lazy *lazy, u32 bucket)
{
	u32 chunk = lazy->spare;

	if (chunk) {
		lazy->spare = lazy->numbers[chunk];
	} else {
		chunk = lazy->used;
		lazy->used += LAZY_CHUNK;
	}
	lazy->numbers[chunk] = lazy->end[bucket];
	lazy->numbers[chunk + 1] = bucket;
	if (bucket < LAZY_NEAR)
		mark(lazy, bucket);
	return chunk + LAZY_HEAD;
}

static void chunk_free(struct lazy *lazy, u32 chunk)
{
	lazy->numbers[chunk] = lazy->spare;
	lazy->spare = chunk;
}

static u32 chunk_of(u32 at)
{
	return at / LAZY_CHUNK * LAZY_CHUNK;
}

static inline void append(struct lazy *lazy, u32 bucket, u32 slot)
{
	u32 at = lazy->end[bucket];

	if (unlikely(!(at % LAZY_CHUNK)))
		at = grow(lazy, bucket);
	lazy_set(lazy, bucket, at, slot);
}

/* The earliest deadline of a far bucket that is not empty, or of the recent slots. */
static u64 *earliest_of(struct lazy *lazy, u32 bucket)
{
	return &lazy->earliest[bucket - LAZY_NEAR];
}

/* A slot with this deadline is put into a far bucket, or becomes recent. */
static void lower(struct lazy *lazy, u32 bucket, u64 deadline)
{
	u64 *far = &lazy->far[(bucket - LAZY_NEAR) / LAZY_LEVEL];
	u64 bit = (u64)1 << bucket % LAZY_LEVEL;

	if (*far & bit && deadline >= *earliest_of(lazy, bucket))
		return;
	*far |= bit;
	*earliest_of(lazy, bucket) = deadline;
	if (!lazy->first || deadline < *earliest_of(lazy, lazy->first))
		lazy->first = bucket;
}

/* A far bucket, or that of the recent slots, is emptied: find the one that is examined next. */
static void clear(struct lazy *lazy, u32 bucket)
{
	u32 level, at;
	u64 bits;

	lazy->far[(bucket - LAZY_NEAR) / LAZY_LEVEL] &= ~((u64)1 << bucket % LAZY_LEVEL);
	lazy->first = 0;
	for (level = 0; level <= LAZY_LEVELS; level++) {
		for (bits = lazy->far[level]; bits; bits &= bits - 1) {
			at = LAZY_NEAR + level * LAZY_LEVEL + __ffs64(bits);
			if (!lazy->first ||
			    *earliest_of(lazy, at) < *earliest_of(lazy, lazy->first))
				lazy->first = at;
		}
	}
}

/* Put a slot that may be overdue, or due later than all near buckets, into a bucket. */
static noinline void place_any(struct lazy *lazy, u32 slot, u64 deadline)
{
	u64 tick = due_tick(lazy, deadline);
	u32 bucket, level;

	if (tick - lazy->floor < LAZY_NEAR) {
		bucket = tick % LAZY_NEAR;
	} else {
		level = (fls64((tick ^ lazy->floor) >> NEAR_BITS) - 1) / LEVEL_BITS;
		bucket = LAZY_NEAR + level * LAZY_LEVEL +
			 (tick >> (NEAR_BITS + level * LEVEL_BITS)) % LAZY_LEVEL;
		lower(lazy, bucket, deadline);
	}
	append(lazy, bucket, slot);
}

static inline void place(struct lazy *lazy, u32 slot, u64 deadline)
{
	u64 tick = tick_of(lazy, deadline);

	if (likely(tick - lazy->floor < LAZY_NEAR))
		append(lazy, tick % LAZY_NEAR, slot);
	else
		place_any(lazy, slot, deadline);
}

/* Remove a slot from a near or far bucket: the last number of the bucket takes its place. */
static void displace(struct lazy *lazy, u32 slot)
{
	u32 at = lazy->places[slot];
	u32 bucket = lazy->numbers[chunk_of(at) + 1];
	u32 last = --lazy->end[bucket];
	u32 chunk = chunk_of(last);

	lazy->numbers[at] = lazy->numbers[last];
	lazy->places[lazy->numbers[at]] = at;
	if (last != chunk + LAZY_HEAD)
		return;
	lazy->end[bucket] = lazy->numbers[chunk];
	chunk_free(lazy, chunk);
}

/* The bucket that is examined next */

struct next {
	u64 tick;
	u32 bucket;
};

static u64 next_near(const struct lazy *lazy)
{
	u32 from = lazy->floor % LAZY_NEAR, group = from / 64;
	u64 bits = lazy->near[group] >> from % 64;
	u64 groups;

	if (bits)
		return lazy->floor + __ffs64(bits);
	/* The later groups, and at last this one again, whose other buckets are of later ticks. */
	group = (group + 1) % 64;
	groups = lazy->groups >> group | lazy->groups << (64 - group) % 64;
	if (!groups)
		return WHEEL_NO_TICK;
	group = (group + __ffs64(groups)) % 64;
	return lazy->floor + (group * 64 + __ffs64(lazy->near[group]) - from) % LAZY_NEAR;
}

/* Tick WHEEL_NO_TICK: all buckets are empty. */
static struct next next_bucket(const struct lazy *lazy)
{
	u64 near = next_near(lazy), far;

	if (lazy->first) {
		far = due_tick(lazy, lazy->earliest[lazy->first - LAZY_NEAR]);
		if (far <= near)
			return (struct next){ far, lazy->first };
	}
	return (struct next){ near, near % LAZY_NEAR };
}

static void update_next(struct lazy *lazy, u64 tick)
{
	lazy->next = tick == WHEEL_NO_TICK ? WHEEL_NEVER : time_of(lazy, tick);
}

/* Expiry */

static inline void expire(struct lazy *lazy, u32 slot, u64 deadline, u64 now)
{
	struct lazy_expiry *expiry = lazy->newest;

	*expiry = (struct lazy_expiry){ deadline, now, slot };
	lazy->newest = ++expiry == lazy->end_of_expiries ? lazy->expiries : expiry;
	lazy->expired++;
	lazy->words[slot] = LAZY_NOWHERE;
	lazy->places[slot] = LAZY_EXPIRED;
	lazy->counts.late[ilog2((now - deadline) | 1)]++;
}

static inline void forget(struct lazy *lazy, u32 slot)
{
	lazy->words[slot] = LAZY_NOWHERE;
	lazy->places[slot] = 0;
	lazy->counts.cancelled++;
}

/*
 * Empty a bucket: slots with deadlines up to @limit expire, stopped ones are forgotten, and all
 * others are put into other buckets. Returns the number of slots.
 */
static u32 empty(struct lazy *lazy, u32 bucket, u64 limit, u64 now)
{
	u32 end = lazy->end[bucket], count = 0, chunk, at;

	for (lazy->end[bucket] = 0; end; end = lazy->numbers[chunk], chunk_free(lazy, chunk)) {
		chunk = chunk_of(end - 1);
		count += end - chunk - LAZY_HEAD;
		for (at = chunk + LAZY_HEAD; at < end; at++) {
			u32 slot = lazy->numbers[at];
			u64 word = lazy->words[slot];

			if (unlikely(word & WHEEL_WORD_IDLE))
				forget(lazy, slot);
			else if (word > limit)
				place(lazy, slot, word);
			else
				expire(lazy, slot, word, now);
		}
	}
	return count;
}

/* Recent slots count as armed when they leave the bucket, unless they were stopped. */
static void examine(struct lazy *lazy, u32 bucket, u64 limit, u64 now)
{
	struct wheel_stats *counts = &lazy->counts;
	u64 cancelled = counts->cancelled, expired = lazy->expired;
	u64 count;

	if (bucket < LAZY_NEAR)
		unmark(lazy, bucket);
	else
		clear(lazy, bucket);
	count = empty(lazy, bucket, limit, now);
	count -= counts->cancelled - cancelled;
	expired = lazy->expired - expired;
	if (bucket == LAZY_RECENT) {
		lazy->recent = 0;
		counts->cancelled = cancelled;
		counts->armed += count;
	} else if (bucket < LAZY_NEAR) {
		counts->requeued += count - expired;
	} else {
		counts->cascaded += count - expired;
	}
}

void lazy_advance(struct lazy *lazy, u64 now)
{
	u64 until = tick_at(lazy, now);
	struct next next;

	/* The clock may have been set back. */
	lazy->floor = min(lazy->floor, until + 1);
	while ((next = next_bucket(lazy)).tick <= until) {
		lazy->floor = next.tick;
		examine(lazy, next.bucket, time_of(lazy, next.tick), now);
	}
	lazy->floor = until + 1;
	update_next(lazy, next.tick);
}

void lazy_skip(struct lazy *lazy, u64 now)
{
	lazy->floor = tick_at(lazy, now) + 1;
}

/* If there are too many recent slots, they are examined now. None of them expires. */
void lazy_start(struct lazy *lazy, u32 slot, u64 deadline)
{
	if (!(lazy->end[LAZY_RECENT] % LAZY_CHUNK) && ++lazy->recent > LAZY_MOST_RECENT) {
		examine(lazy, LAZY_RECENT, 0, 0);
		update_next(lazy, next_bucket(lazy).tick);
		lazy->recent = 1;
	}
	lazy->words[slot] = deadline;
	append(lazy, LAZY_RECENT, slot);
	lower(lazy, LAZY_RECENT, deadline);
	lazy->next = min(lazy->next, time_of(lazy, due_tick(lazy, deadline)));
}

void lazy_move(struct lazy *lazy, u32 slot)
{
	u64 deadline = lazy->words[slot];

	if (lazy->numbers[chunk_of(lazy->places[slot]) + 1] == LAZY_RECENT) {
		lower(lazy, LAZY_RECENT, deadline);
		lazy->next = min(lazy->next, time_of(lazy, due_tick(lazy, deadline)));
		return;
	}
	displace(lazy, slot);
	place_any(lazy, slot, deadline);
	lazy->counts.rearmed++;
	update_next(lazy, next_bucket(lazy).tick);
}

u32 lazy_take(struct lazy *lazy, struct wheel_event *events, u32 count)
{
	struct lazy_expiry *expiry = lazy->oldest;
	u32 number = (u32)lazy->taken, i;

	count = min_t(u64, count, lazy_unread(lazy));
	for (i = 0; i < count; i++) {
		events[i] = (struct wheel_event){
			.id		= WHEEL_ID(expiry->slot, 1),
			.cookie		= expiry->slot,
			.deadline	= expiry->deadline,
			.fired		= expiry->fired,
			.seq		= number + i,
		};
		lazy->places[expiry->slot] = 0;
		if (unlikely(++expiry == lazy->end_of_expiries))
			expiry = lazy->expiries;
	}
	lazy->oldest = expiry;
	lazy->taken += count;
	return count;
}
