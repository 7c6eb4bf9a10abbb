/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, and who is told of them.
 */
#ifndef _WHEEL_DEV_EVENT_H
#define _WHEEL_DEV_EVENT_H

#include "pick.h"

struct poll_table_struct;

/**
 * slot_event - an event as it stands now
 * @slot: slot that fired, its file locked
 * @now: the clock
 * @event: filled; if periods were missed it speaks of the newest deadline that is
 *	due
 */
static inline void slot_event(const struct slot *slot, u64 now,
			      struct wheel_event *event)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);
	u64 missed = 0;

	if (slot->period)
		missed = slot->ended ? slot->missed : slot_missed(slot, now);
	*event = (struct wheel_event){
		.id		= slot->id,
		.cookie		= slot->cookie,
		.deadline	= deadline + missed * slot->period,
		.fired		= wheel_timer_fired(&slot->timer),
		.overrun	= missed,
		.seq		= slot->seq,
		.res		= 0,
	};
}

/* Out of line, as most timers are over when they have fired. */
bool slot_goes_on(struct wheel_file *file, struct slot *slot,
		  const struct wheel_event *event);

/**
 * slot_event_over - an event was taken
 * @file: file, locked
 * @slot: slot of the event
 * @event: the event
 *
 * A periodic timer goes on, any other is over.
 */
static inline void slot_event_over(struct wheel_file *file, struct slot *slot,
				   const struct wheel_event *event)
{
	file->over++;
	if (unlikely(slot->period) && slot_goes_on(file, slot, event))
		return;
	slot_free(file, slot);
}

/* What file_look() sees. */
enum news { NOTHING, EVENTS, OVER };

void slots_fired(struct wheel *wheel, struct wheel_timer **due, unsigned int n,
		 u64 now);
enum news file_look(struct wheel_file *file, u32 wanted, u32 *ready);
void file_wake(struct wheel_file *file);
void file_owes(struct wheel *wheel);
__poll_t file_poll(struct file *filp, struct poll_table_struct *wait);

#endif
