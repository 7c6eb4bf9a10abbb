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
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>
#include "../slots/event.h"
#include "dev.h"

/* Free the ring of a file. It is neither in use nor mapped. */
void wheel_event_ring_free(struct wheel_file *file)
{
	struct wheel_event_ring *ring = &file->ring;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ring->parts); i++) {
		vunmap(ring->parts[i]);
		cond_resched();
	}
	wheel_pages_free(ring->pages);
	free_page((unsigned long)ring->user);
	*ring = (struct wheel_event_ring){};
	file->slots.taken = NULL;
}

/* Map the pages of a ring. Returns 0 or a negative errno. */
static int ring_map(struct wheel_event_ring *ring, u32 pages)
{
	const u32 most = RING_PART * sizeof(struct wheel_event) / PAGE_SIZE;
	u32 i, at;

	for (i = 0, at = 0; at < pages; i++, at += most) {
		ring->parts[i] = vmap(ring->pages + at, min(most, pages - at), VM_MAP, PAGE_KERNEL);
		if (!ring->parts[i])
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/*
 * Allocate and charge a ring. The number of events is a power of two, and the page that the kernel
 * writes exists. On error, the caller must call wheel_event_ring_free().
 */
int wheel_event_ring_alloc(struct wheel_file *file)
{
	u32 bytes = file->slots.setup.events * sizeof(struct wheel_event);
	u32 pages = DIV_ROUND_UP(bytes, PAGE_SIZE);
	/* There is an array of pointers to the pages, which ends with NULL. */
	u32 table = DIV_ROUND_UP((pages + 1) * sizeof(void *), PAGE_SIZE);
	struct wheel_event_ring *ring = &file->ring;
	void *user;
	int err;

	err = wheel_file_charge(file, pages + table);
	if (err)
		return err;
	user = wheel_file_page_alloc(file);
	if (IS_ERR(user))
		return PTR_ERR(user);
	ring->user = user;
	ring->pages = wheel_pages_alloc(pages, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!ring->pages)
		return fatal_signal_pending(current) ? -EINTR : -ENOMEM;
	err = ring_map(ring, pages);
	if (err)
		return err;
	ring->size = file->slots.setup.events;
	file->slots.taken = &ring->user->event_head;
	return 0;
}

/* Publish the events of @n due timers, for which the ring has room. The wheel is locked. */
void wheel_event_ring_expire(struct wheel_file *file, struct wheel_timer **due, unsigned int n,
			     u64 now)
{
	struct wheel_slots *slots = &file->slots;
	struct wheel_event_ring *ring = &file->ring;
	u32 tail = ring->tail, last = ring->size - 1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		u32 at = tail++ & last;
		struct wheel_event *event = &ring->parts[at / RING_PART][at % RING_PART];
		struct wheel_slot *slot = wheel_slot_of(due[i]);

		wheel_event_fired(slots, slot);
		wheel_event_describe(slots, slot, now, event);
		wheel_event_consumed(slots, slot, event);
	}
	ring->tail = tail;
	/*
	 * Order the stores of the entries before the store of event_tail. Pairs with the program's
	 * load-acquire of event_tail.
	 */
	smp_store_release(&file->kernel->event_tail, tail);
}
