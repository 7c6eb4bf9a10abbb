/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The completion ring.
 */
#ifndef _WHEEL_DEV_RING_H
#define _WHEEL_DEV_RING_H

#include "dev.h"

u32 ring_event_pages(u32 events);
struct page *ring_kernel_page(struct wheel_file *file, u32 at);
struct page *ring_user_page(struct wheel_file *file, u32 at);
struct page *ring_event_page(struct wheel_file *file, u32 at);
struct ring *ring_make(u32 events);
void ring_free(struct ring *ring);
u32 ring_ready(const struct ring *ring);
u32 ring_room(const struct ring *ring);
void ring_put(struct wheel_file *file, struct slot *slot, u64 now);
bool ring_publish(struct wheel_file *file, u64 now);

#endif
