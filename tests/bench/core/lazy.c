// SPDX-License-Identifier: GPL-2.0
/*
 * The structures that a program would have without this project: a heap with four children per
 * node, and two lazy ones. In a lazy structure, a deadline is a member of the timer. Postponing or
 * cancelling a timer only stores it. The structure has an entry with an earlier time, at which the
 * deadline is read. Only an earlier deadline needs another entry. All are exact to the tick.
 *
 * 4-heap: entries with deadline and number in one array, and the position of each timer.
 *
 * lazy 4-heap: the same array, without positions.
 *
 * lazy ring: an array of timer numbers per tick, and one bit per tick that has any. A deadline
 * beyond the ring is read once per revolution.
 */
#include <stdlib.h>

#include "contestant.h"

struct entry {
	u64	time;
	u32	timer;
};

/**
 * struct lazy_timer - timer of a lazy structure
 * @deadline: deadline; 0: not armed
 * @queued: time of its valid entry; 0: it has none. Other entries are ignored
 */
struct lazy_timer {
	u64	deadline;
	u64	queued;
};

static struct entry *heap;
static u32 *positions;
static u32 used, room;
static struct lazy_timer *timers;

static void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static __always_inline void put(u32 at, struct entry e, bool tracked)
{
	heap[at] = e;
	if (tracked)
		positions[e.timer] = at;
}

static __always_inline void sift_up(u32 at, struct entry e, bool tracked)
{
	while (at && heap[(at - 1) / 4].time > e.time) {
		put(at, heap[(at - 1) / 4], tracked);
		at = (at - 1) / 4;
	}
	put(at, e, tracked);
}

static __always_inline void sift_down(u32 at, struct entry e, bool tracked)
{
	u32 child, least, end;

	for (; (child = 4 * at + 1) < used; at = least) {
		end = min(child + 4, used);
		for (least = child++; child < end; child++)
			if (heap[child].time < heap[least].time)
				least = child;
		if (heap[least].time >= e.time)
			break;
		put(at, heap[least], tracked);
	}
	put(at, e, tracked);
}

static void grow_heap(u32 count)
{
	room = count;
	heap = need(realloc(heap, (size_t)room * sizeof(*heap)));
}

static bool create_heap(u32 count)
{
	heap = NULL;
	used = 0;
	grow_heap(count);
	positions = need(calloc(count, sizeof(*positions)));
	return true;
}

static void arm_heap(u32 i, u64 deadline)
{
	sift_up(used++, (struct entry){ deadline, i }, true);
}

static void move_entry(u32 at, struct entry e)
{
	if (at && heap[(at - 1) / 4].time > e.time)
		sift_up(at, e, true);
	else
		sift_down(at, e, true);
}

static void rearm_heap(u32 i, u64 deadline)
{
	move_entry(positions[i], (struct entry){ deadline, i });
}

static void cancel_heap(u32 i)
{
	u32 at = positions[i];

	if (at != --used)
		move_entry(at, heap[used]);
}

static void advance_heap(void)
{
	while (used && heap[0].time <= bench_now) {
		if (--used)
			sift_down(0, heap[used], true);
		bench_fire();
	}
}

static bool create_lazy_heap(u32 count)
{
	heap = NULL;
	used = 0;
	grow_heap(count);
	timers = need(calloc(count, sizeof(*timers)));
	return true;
}

/* Set a deadline. Returns true if it needs an entry. */
static __always_inline bool set_deadline(u32 i, u64 deadline)
{
	struct lazy_timer *t = &timers[i];

	WRITE_ONCE(t->deadline, deadline);
	/* 0 counts as later than any deadline. */
	if (likely(deadline > t->queued - 1))
		return false;
	t->queued = deadline;
	return true;
}

static void arm_lazy_heap(u32 i, u64 deadline)
{
	if (!set_deadline(i, deadline))
		return;
	if (used == room)
		grow_heap(2 * room);
	sift_up(used++, (struct entry){ deadline, i }, false);
}

static void cancel_lazy(u32 i)
{
	WRITE_ONCE(timers[i].deadline, 0);
}

/* Examine a timer at the time of an entry. Returns the time of its next entry; 0: it has none. */
static __always_inline u64 examine(u32 i, u64 time)
{
	struct lazy_timer *t = &timers[i];

	if (t->queued != time)
		return 0;
	if (t->deadline && t->deadline <= bench_now) {
		t->deadline = 0;
		bench_fire();
	}
	t->queued = t->deadline;
	return t->deadline;
}

static void advance_lazy_heap(void)
{
	while (used && heap[0].time <= bench_now) {
		struct entry e = heap[0];

		e.time = examine(e.timer, e.time);
		if (e.time)
			sift_down(0, e, false);
		else if (--used)
			sift_down(0, heap[used], false);
	}
}

#define TICKS	(1U << 17)

struct bucket {
	u32	*timers;
	u32	count;
	u32	room;
};

static struct bucket *ring;
static u64 *occupied;
static u64 done;

static bool create_lazy_ring(u32 count)
{
	ring = need(calloc(TICKS, sizeof(*ring)));
	occupied = need(calloc(TICKS / 64, sizeof(*occupied)));
	timers = need(calloc(count, sizeof(*timers)));
	done = bench_now;
	return true;
}

static void append(u64 tick, u32 i)
{
	struct bucket *b = &ring[tick % TICKS];

	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 8;
		b->timers = need(realloc(b->timers, b->room * sizeof(*b->timers)));
	}
	b->timers[b->count++] = i;
	occupied[tick % TICKS / 64] |= 1ULL << tick % 64;
}

static void arm_lazy_ring(u32 i, u64 deadline)
{
	if (set_deadline(i, deadline))
		append(deadline, i);
}

/* Examine the timers of a tick. Those of a later revolution stay. */
static void examine_bucket(u64 tick)
{
	struct bucket *b = &ring[tick % TICKS];
	u32 count = b->count, kept = 0, at;
	u64 next;

	for (at = 0; at < count; at++) {
		u32 i = b->timers[at];

		next = timers[i].queued > tick && timers[i].queued % TICKS == tick % TICKS ?
		       timers[i].queued : examine(i, tick);
		if (!next)
			continue;
		if (next % TICKS == tick % TICKS)
			b->timers[kept++] = i;
		else
			append(next, i);
	}
	b->count = kept;
	if (!kept)
		occupied[tick % TICKS / 64] &= ~(1ULL << tick % 64);
}

static void advance_lazy_ring(void)
{
	while (done < bench_now) {
		u64 bits = occupied[(done + 1) % TICKS / 64] >> (done + 1) % 64;
		u64 skip = bits ? (u64)__builtin_ctzll(bits) : 63 - (done + 1) % 64;

		done = min(done + 1 + skip, bench_now);
		if (occupied[done % TICKS / 64] >> done % 64 & 1)
			examine_bucket(done);
	}
}

const struct contestant quaternary_heap = {
	"4-heap", create_heap, arm_heap, rearm_heap, cancel_heap, advance_heap,
};

const struct contestant lazy_heap = {
	"lazy 4-heap", create_lazy_heap, arm_lazy_heap, arm_lazy_heap, cancel_lazy,
	advance_lazy_heap,
};

const struct contestant lazy_ring = {
	"lazy ring", create_lazy_ring, arm_lazy_ring, arm_lazy_ring, cancel_lazy,
	advance_lazy_ring,
};
