/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expiry: the interrupt, the passes in the owner's context, and the wake-ups.
 */
#ifndef _WHEEL_DEV_EVENT_H
#define _WHEEL_DEV_EVENT_H

#include "dev.h"

struct poll_table_struct;

extern const struct wheel_owner wheel_file_owner;

u32 wheel_file_events(const struct wheel_file *file);
bool wheel_file_run(struct wheel_file *file, u32 wanted);
void wheel_file_hand_over(struct wheel_file *file);
void wheel_file_settle(struct wheel_file *file);
bool wheel_file_await(struct wheel_file *file, u32 wanted, u32 *ready);
__poll_t wheel_file_poll(struct file *filp, struct poll_table_struct *wait);

/**
 * wheel_file_deferred() - Check whether the pass is left to the owner
 * @file: file that is set up
 *
 * Called by the owner's calls: the interrupt may expire timers again.
 *
 * Return: true if wheel_file_run() has work to do.
 */
static inline bool wheel_file_deferred(struct wheel_file *file)
{
	if (READ_ONCE(file->interrupts))
		WRITE_ONCE(file->interrupts, 0);
	return unlikely(READ_ONCE(file->deferred));
}

#endif
