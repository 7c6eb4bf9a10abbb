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
 * While the ring is full, due timers remain in the wheel and the file is deferred; see event.c.
 * WHEEL_RING_BACKLOG then requests a call of ENTER. It is also set if the interrupt left the
 * pass to the owner for another reason. No barrier orders it with @event_head: the kernel wakes
 * up pollers after it set the flag, and a program that does not sleep reads the flag again.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
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

static size_t ring_struct_size(u32 events)
{
	struct wheel_event_ring *ring;

	return struct_size(ring, pages, WHEEL_RING_EVENTS + wheel_event_ring_pages(events));
}

/**
 * wheel_event_ring_bytes() - Compute the size of a ring
 * @events: entries
 *
 * Return: bytes, as allocated.
 */
size_t wheel_event_ring_bytes(u32 events)
{
	return kmalloc_size_roundup(ring_struct_size(events)) +
	       (WHEEL_RING_EVENTS + wheel_event_ring_pages(events)) * PAGE_SIZE;
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

		if (!page || fatal_signal_pending(current)) {
			if (page)
				put_page(page);
			return false;
		}
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

	ring = kvzalloc(ring_struct_size(events), GFP_KERNEL_ACCOUNT);
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

/**
 * wheel_event_ring_room() - Count the events that fit into a ring
 * @ring: ring, the wheel of its file locked
 *
 * Return: free entries.
 */
u32 wheel_event_ring_room(const struct wheel_event_ring *ring)
{
	return ring->mask + 1 - wheel_event_ring_ready(ring);
}

/**
 * wheel_event_ring_set_backlog() - Tell the program whether it has to call ENTER
 * @ring: ring
 * @backlog: true if it has to
 */
void wheel_event_ring_set_backlog(struct wheel_event_ring *ring, bool backlog)
{
	WRITE_ONCE(ring->kernel->kflags, backlog ? WHEEL_RING_BACKLOG : 0);
}

/**
 * wheel_event_ring_expire() - Publish the events of due timers
 * @file: file with a ring, its wheel locked
 * @due: the timers
 * @n: their number, at most wheel_event_ring_room()
 * @now: the time
 */
void wheel_event_ring_expire(struct wheel_file *file, struct wheel_timer **due,
			     unsigned int n, u64 now)
{
	struct wheel_event_ring *ring = file->ring;
	struct wheel_slots *slots = &file->slots;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct wheel_event *event = &ring->event[ring->tail++ & ring->mask];
		struct wheel_slot *slot = wheel_slot_of(due[i]);

		wheel_event_fired(slots, slot);
		wheel_event_describe(slots, slot, now, event);
		wheel_event_consumed(slots, slot, event);
	}
	/* Pairs with the program's acquire: the entries are written. */
	smp_store_release(&ring->kernel->event_tail, ring->tail);
}
