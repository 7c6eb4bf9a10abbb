// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: events in memory that the program reads without a call.
 *
 * The positions lie on pages of their own, one that only the kernel writes and one
 * that only the program writes, which is believed nothing: what the kernel goes by
 * is its own copy of the tail.
 *
 *	the kernel			the program
 *
 *	head = acquire(event_head)	tail = acquire(event_tail)
 *	room? write the event		is there one? read it
 *	release(event_tail)		release(event_head)
 *
 * An event that finds no room stays in its timer, and BACKLOG says so. It comes to
 * the ring when the kernel looks again: at the next expiry, at ENTER, at poll().
 *
 *	the kernel			the program
 *
 *	no room: BACKLOG = 1		release(event_head)
 *	full barrier			full barrier
 *	room now? go on			BACKLOG? ENTER
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "../slots/event.h"
#include "ring.h"

/**
 * struct wheel_event_ring - a completion ring
 * @kernel: what the kernel tells; its file's
 * @user: what the program tells
 * @event: the entries
 * @mask: one less than there are
 * @tail: events published so far; @kernel has a copy
 * @pages: of @user and @event
 * @count: how many
 */
struct wheel_event_ring {
	struct wheel_kernel_page	*kernel;
	struct wheel_user_page		*user;
	struct wheel_event		*event;
	u32				mask;
	u32				tail;
	u32				count;
	struct page			*pages[];
};

/**
 * wheel_event_ring_pages - how many pages the entries take
 * @events: entries
 *
 * Return: pages.
 */
u32 wheel_event_ring_pages(u32 events)
{
	return DIV_ROUND_UP(events * sizeof(struct wheel_event), PAGE_SIZE);
}

/**
 * wheel_event_ring_page - a page of a ring
 * @ring: ring
 * @at: WHEEL_RING_USER, or from WHEEL_RING_EVENTS on
 *
 * Return: the page.
 */
struct page *wheel_event_ring_page(const struct wheel_event_ring *ring, u32 at)
{
	return ring->pages[at];
}

/**
 * wheel_event_ring_taken - where the program says how many events it has taken
 * @ring: ring
 *
 * Return: address of the number.
 */
const u32 *wheel_event_ring_taken(const struct wheel_event_ring *ring)
{
	return &ring->user->event_head;
}

/**
 * wheel_event_ring_free - free a ring
 * @ring: ring that nobody uses or maps any more, or NULL
 */
void wheel_event_ring_free(struct wheel_event_ring *ring)
{
	u32 i;

	if (!ring)
		return;
	vunmap(ring->event);
	for (i = 0; i < ring->count; i++)
		put_page(ring->pages[i]);
	kvfree(ring);
}

static bool ring_pages_alloc(struct wheel_event_ring *ring, u32 pages)
{
	while (ring->count < pages) {
		struct page *page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);

		if (!page)
			return false;
		ring->pages[ring->count++] = page;
		cond_resched();
	}
	return true;
}

/**
 * wheel_event_ring_make - make a ring
 * @events: entries, a power of two
 * @kernel: the file's page, by which the kernel tells something
 *
 * Return: the ring, or NULL: no memory.
 */
struct wheel_event_ring *wheel_event_ring_make(u32 events,
					       struct wheel_kernel_page *kernel)
{
	u32 pages = WHEEL_RING_EVENTS + wheel_event_ring_pages(events);
	struct wheel_event_ring *ring;

	ring = kvzalloc(struct_size(ring, pages, pages), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return NULL;
	ring->mask = events - 1;
	if (ring_pages_alloc(ring, pages))
		ring->event = vmap(ring->pages + WHEEL_RING_EVENTS,
				   pages - WHEEL_RING_EVENTS, VM_MAP, PAGE_KERNEL);
	if (!ring->event) {
		wheel_event_ring_free(ring);
		return NULL;
	}
	ring->kernel = kernel;
	ring->user = page_address(ring->pages[WHEEL_RING_USER]);
	return ring;
}

/**
 * wheel_event_ring_ready - events that the program has not taken
 * @ring: ring, its file locked
 *
 * A head that cannot be is taken for a full ring: then nothing is overwritten.
 *
 * Return: how many are in the ring.
 */
u32 wheel_event_ring_ready(const struct wheel_event_ring *ring)
{
	/* Pairs with the program's release: it has read what we overwrite. */
	u32 head = smp_load_acquire(&ring->user->event_head);

	return min(ring->tail - head, ring->mask + 1);
}

/* How many events fit. */
static u32 ring_room(const struct wheel_event_ring *ring)
{
	return ring->mask + 1 - wheel_event_ring_ready(ring);
}

/*
 * Let the event of a slot, which is in no queue, be the next one of a ring that has room. It is
 * told by ring_tell(). The program cannot write to the entries.
 */
static inline void ring_put(struct wheel_event_ring *ring, struct wheel_slots *slots,
			    struct wheel_slot *slot, u64 now)
{
	struct wheel_event *event = &ring->event[ring->tail++ & ring->mask];

	wheel_event_describe(slots, slot, now, event);
	wheel_event_consumed(slots, slot, event);
}

static void ring_tell(struct wheel_event_ring *ring)
{
	/* Pairs with the program's acquire: the entries are written. */
	smp_store_release(&ring->kernel->event_tail, ring->tail);
}

/* As many as there is room for. Returns how many. */
static u32 ring_fill(struct wheel_file *file, u64 now, u32 room)
{
	struct wheel_event_ring *ring = file->ring;
	struct wheel_slots *slots = &file->slots;
	u32 done = 0;

	while (done < room && slots->fired.count) {
		ring_put(ring, slots, wheel_slot_pop(slots, &slots->fired), now);
		done++;
	}
	ring_tell(ring);
	return done;
}

/* Some events wait for room. Returns as wheel_event_ring_publish(). */
static bool ring_catch_up(struct wheel_file *file)
{
	const struct wheel_slots *slots = &file->slots;
	struct wheel_event_ring *ring = file->ring;
	u64 now = wheel_now(slots->wheel);
	u32 room = ring_room(ring);
	u32 left = DEV_HOLD;

	left -= ring_fill(file, now, min(room, left));
	if (slots->fired.count && left) {
		WRITE_ONCE(ring->kernel->kflags, WHEEL_RING_BACKLOG);
		/* Pairs with the program's, between its head and our flags. */
		smp_mb();
		room = ring_room(ring);
		ring_fill(file, now, min(room, left));
	}
	if (!slots->fired.count)
		WRITE_ONCE(ring->kernel->kflags, 0);
	return slots->fired.count && wheel_event_ring_ready(ring) <= ring->mask;
}

/**
 * wheel_event_ring_publish - tell of the events in the ring, and move others to it
 * @file: file with a ring, locked
 *
 * No more than a lock hold's worth.
 *
 * Return: true if there is more to move, and room for it.
 */
bool wheel_event_ring_publish(struct wheel_file *file)
{
	if (unlikely(file->slots.fired.count))
		return ring_catch_up(file);
	/* While none waits for room, BACKLOG is not set. */
	ring_tell(file->ring);
	return false;
}

/**
 * wheel_event_ring_expire - timers of a file are due
 * @file: file with a ring, locked
 * @due: the timers
 * @n: how many, no more than a lock hold's worth
 * @now: the clock
 *
 * While events wait for room, all others wait behind them.
 */
void wheel_event_ring_expire(struct wheel_file *file, struct wheel_timer **due,
			     unsigned int n, u64 now)
{
	struct wheel_event_ring *ring = file->ring;
	struct wheel_slots *slots = &file->slots;
	u32 room = likely(!slots->fired.count) ? ring_room(ring) : 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct wheel_slot *slot = wheel_slot_of(due[i]);

		wheel_event_fired(slots, slot);
		if (likely(i < room))
			ring_put(ring, slots, slot, now);
		else
			wheel_event_queue(slots, slot);
	}
	if (likely(!slots->fired.count)) {
		ring_tell(ring);
	} else {
		ring_catch_up(file);
		file->backlogged += min(n, slots->fired.count);
	}
}
