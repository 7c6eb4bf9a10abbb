/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Touch words.
 */
#ifndef _WHEEL_DEV_TOUCH_H
#define _WHEEL_DEV_TOUCH_H

#include "dev.h"

u32 touch_table_pages(u32 timers);
struct page *touch_page(struct wheel_file *file, u32 at);
int touch_page_alloc(struct wheel_file *file, u32 nr);
void touch_pages_free(struct wheel_file *file);
bool touch_ready(const struct wheel_file *file, u32 nr);
void touch_set(const struct wheel_file *file, u32 nr, u64 deadline);
u64 touch_get(const struct wheel_file *file, u32 nr);
bool touch_swap(const struct wheel_file *file, u32 nr, u64 old, u64 new);
u64 touch_end(const struct wheel_file *file, u32 nr);
enum wheel_claim touch_claim(struct wheel_timer *timer, u64 due, u64 *deadline);

/* Is what a touch word says no deadline? */
static inline bool touch_parked(u64 word)
{
	return word == WHEEL_TOUCH_PARKED || word & WHEEL_TOUCH_IDLE;
}

#endif
