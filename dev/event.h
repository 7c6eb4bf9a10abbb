/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expiries become events, and those who wait are told of them.
 */
#ifndef _WHEEL_DEV_EVENT_H
#define _WHEEL_DEV_EVENT_H

#include "dev.h"

struct poll_table_struct;

/* The findings of wheel_file_news(). */
enum wheel_news { WHEEL_NOTHING, WHEEL_EVENTS, WHEEL_OVER };

void wheel_file_expire(struct wheel *wheel, struct wheel_timer **due,
		       unsigned int n, u64 now);
enum wheel_news wheel_file_news(struct wheel_file *file, u32 wanted, u32 *ready);
void wheel_file_wake(struct wheel_file *file);
void wheel_file_owes(struct wheel *wheel);
__poll_t wheel_file_poll(struct file *filp, struct poll_table_struct *wait);

#endif
