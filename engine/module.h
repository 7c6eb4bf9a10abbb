/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the engine that are not exported, also for /dev/wheel: see device.h.
 */
#ifndef _WHEEL_ENGINE_MODULE_H
#define _WHEEL_ENGINE_MODULE_H

#include <linux/wheel_timer_owner.h>

clockid_t wheel_clockid(const struct wheel *wheel);
ktime_t wheel_ktime(const struct wheel *wheel, u64 time);
void wheel_read_stats_locked(struct wheel *wheel, struct wheel_stats *stats);

struct page **wheel_pages_alloc(unsigned int count, gfp_t gfp);
void wheel_pages_free(struct page **pages);

#endif
