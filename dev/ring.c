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
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
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
 */
struct wheel_event_ring {
	struct wheel_kernel_page	*kernel;
	struct wheel_user_page		*user;
	struct wheel_event		*event;
	u32				mask;
	u32				tail;
};

/* Returns the number of pages of @events entries. */
u32 wheel_event_ring_pages(u32 events)
{
	return DIV_ROUND_UP(events * sizeof(struct wheel_event), PAGE_SIZE);
}

/* Returns a page of entries. */
struct page *wheel_event_ring_page(const struct wheel_event_ring *ring, u32 at)
{
	return vmalloc_to_page((void *)ring->event + at * PAGE_SIZE);
}

/* Returns the page that the program writes. */
struct page *wheel_event_ring_user_page(const struct wheel_event_ring *ring)
{
	return virt_to_page(ring->user);
}

/* Free the ring of a file, or NULL. It is neither in use nor mapped. */
void wheel_event_ring_free(struct wheel_event_ring *ring)
{
	if (!ring)
		return;
	vfree(ring->event);
	free_page((unsigned long)ring->user);
	kfree(ring);
}

/*
 * Allocate and charge a ring. The number of events is a power of two, and the page that the kernel
 * writes exists. On error, the caller must call wheel_event_ring_free().
 */
int wheel_event_ring_alloc(struct wheel_file *file)
{
	u32 pages = wheel_event_ring_pages(file->slots.setup.events);
	struct wheel_event_ring *ring;
	int err;

	/* vmalloc() also allocates an array of pointers to the pages. */
	err = wheel_file_charge(file, pages + DIV_ROUND_UP(pages * sizeof(void *), PAGE_SIZE));
	if (err)
		return err;
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return -ENOMEM;
	file->ring = ring;
	ring->kernel = file->kernel;
	ring->mask = file->slots.setup.events - 1;
	ring->user = wheel_file_page_alloc(file);
	if (IS_ERR(ring->user)) {
		err = PTR_ERR(ring->user);
		ring->user = NULL;
		return err;
	}
	ring->event = __vmalloc(pages * PAGE_SIZE, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!ring->event)
		return -ENOMEM;
	file->slots.taken = &ring->user->event_head;
	return 0;
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
