/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots that the kernel picks, with WHEEL_SETUP_ANY_SLOT.
 */
#ifndef _WHEEL_DEV_PICK_H
#define _WHEEL_DEV_PICK_H

#include "slot.h"

int pick_slot(const struct wheel_file *file);
void pick_taken(struct wheel_file *file);
void pick_again(struct wheel_file *file, struct slot *slot);
void pick_gone(struct wheel_file *file, struct slot *slot);
void pick_collect(struct wheel_file *file);

/* Does the kernel pick the slots of this file? */
static inline bool picks(const struct wheel_file *file)
{
	return file->setup.flags & WHEEL_SETUP_ANY_SLOT;
}

/**
 * slot_free - a timer is over, its slot can be armed anew
 * @file: file, locked
 * @slot: slot that is neither pending nor queued
 */
static inline void slot_free(struct wheel_file *file, struct slot *slot)
{
	slot->state = SLOT_FREE;
	slot->touch = false;
	slot->ended = false;
	if (unlikely(picks(file)))
		pick_again(file, slot);
}

#endif
