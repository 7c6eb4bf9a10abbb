// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: events in memory that the program reads without a system call.
 *
 * The head and the tail are on separate pages, one that only the kernel can write and one that
 * the program writes. The kernel does not trust the program: it keeps a private copy of the tail.
 *
 *	the kernel			the program
 *
 *	head = acquire(event_head)	tail = acquire(event_tail)
 *	not full: write the event	not empty: read the event
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
#include "dev.h"

/**
 * struct wheel_event_ring - Completion ring
 * @kernel: page of the file that the kernel writes
 * @user: page that the program writes
 * @event: entries
 * @mask: number of entries minus 1
 * @tail: number of events published so far, modulo 2^32; copied to @kernel
 * @pages: pages of @user and @event
 * @count: number of @pages
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

/* Returns the number of pages of @events entries. */
u32 wheel_event_ring_pages(u32 events)
{
	return DIV_ROUND_UP(events * sizeof(struct wheel_event), PAGE_SIZE);
}

static size_t ring_struct_size(u32 events)
{
	struct wheel_event_ring *ring;

	return struct_size(ring, pages, WHEEL_RING_EVENTS + wheel_event_ring_pages(events));
}

/* Returns the size of a ring with @events entries, as allocated. */
size_t wheel_event_ring_bytes(u32 events)
{
	return kmalloc_size_roundup(ring_struct_size(events)) +
	       (WHEEL_RING_EVENTS + wheel_event_ring_pages(events)) * PAGE_SIZE;
}

/*
 * Returns a page of a ring. @at: WHEEL_RING_USER, or WHEEL_RING_EVENTS plus the number of a page of
 * entries.
 */
struct page *wheel_event_ring_page(const struct wheel_event_ring *ring, u32 at)
{
	return ring->pages[at];
}

/*
 * Returns the address of wheel_user_page.event_head, the number of events that the program has
 * taken.
 */
const u32 *wheel_event_ring_taken(const struct wheel_event_ring *ring)
{
	return &ring->user->event_head;
}

/* Free a ring that is neither in use nor mapped, or NULL. */
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

/*
 * Allocate a ring. @events is a power of two, @kernel the page that the kernel writes. Returns NULL
 * if out of memory.
 */
struct wheel_event_ring *wheel_event_ring_create(u32 events,
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

/*
 * Returns the number of events that the program has not taken. If the program has written an
 * impossible head, the ring counts as full, so that no event is overwritten.
 */
u32 wheel_event_ring_ready(const struct wheel_event_ring *ring)
{
	/*
	 * Order the program's reads of the entries before their reuse. Pairs with its store-release
	 * of event_head.
	 */
	u32 head = smp_load_acquire(&ring->user->event_head);

	return min(ring->tail - head, ring->mask + 1);
}

/* Returns the number of free entries. The wheel is locked. */
u32 wheel_event_ring_room(const struct wheel_event_ring *ring)
{
	return ring->mask + 1 - wheel_event_ring_ready(ring);
}

/* Set or clear WHEEL_RING_BACKLOG, which requests a call of ENTER. */
void wheel_event_ring_set_backlog(struct wheel_event_ring *ring, bool backlog)
{
	WRITE_ONCE(ring->kernel->kflags, backlog ? WHEEL_RING_BACKLOG : 0);
}

/* Publish the events of @n due timers, at most wheel_event_ring_room(). The wheel is locked. */
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
	/*
	 * Order the stores of the entries before the store of event_tail. Pairs with the program's
	 * load-acquire of event_tail.
	 */
	smp_store_release(&ring->kernel->event_tail, ring->tail);
}
