/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The completion ring.
 */
#ifndef _WHEEL_DEV_RING_H
#define _WHEEL_DEV_RING_H

#include "dev.h"

/* Page numbers: the page that the program writes, then the pages of the entries. */
enum { WHEEL_RING_USER, WHEEL_RING_EVENTS };

u32 wheel_event_ring_pages(u32 events);
size_t wheel_event_ring_bytes(u32 events);
struct page *wheel_event_ring_page(const struct wheel_event_ring *ring, u32 at);
const u32 *wheel_event_ring_taken(const struct wheel_event_ring *ring);
struct wheel_event_ring *wheel_event_ring_create(u32 events,
						 struct wheel_kernel_page *kernel);
void wheel_event_ring_free(struct wheel_event_ring *ring);
u32 wheel_event_ring_ready(const struct wheel_event_ring *ring);
void wheel_event_ring_expire(struct wheel_file *file, struct wheel_timer **due,
			     unsigned int n, u64 now);
u32 wheel_event_ring_room(const struct wheel_event_ring *ring);
void wheel_event_ring_set_backlog(struct wheel_event_ring *ring, bool backlog);

#endif
