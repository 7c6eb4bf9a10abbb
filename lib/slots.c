// SPDX-License-Identifier: MIT
/*
 * Allocation of slots for programs that do not number their timers themselves.
 *
 * A stack of ids, on which each slot appears at most once, with its next generation. The stack
 * needs no generations of the slots in use, because their ids contain them. The slot that was
 * freed last is used first, because its memory is probably cached. See Sean Middleditch, "The
 * Slot Map", 2013, for slots whose generations make stale ids invalid.
 */
#include <stdlib.h>

#include "handle.h"

int libwheel_slot_get(struct libwheel *wheel, uint64_t *id)
{
	struct handle *handle = handle_of(wheel);
	struct free_slots *slots = &handle->slots;
	int saved, err = 0;

	if (!*handle->ours)
		return -ECHILD;
	lock_take(&slots->lock);
	if (!slots->ids) {
		saved = errno;
		slots->ids = calloc(handle->setup.timers, sizeof(*slots->ids));
		errno = saved;
	}
	if (!slots->ids)
		err = -ENOMEM;
	else if (slots->count)
		*id = slots->ids[--slots->count];
	else if (slots->used < handle->setup.timers)
		*id = WHEEL_ID(slots->used++, 1);
	else
		err = -EDQUOT;
	lock_release(&slots->lock);
	return err;
}

void libwheel_slot_put(struct libwheel *wheel, uint64_t id)
{
	struct free_slots *slots = &handle_of(wheel)->slots;

	/* In a child of fork() the lock may never be released. */
	if (!*handle_of(wheel)->ours)
		return;
	lock_take(&slots->lock);
	/*
	 * After the last generation, all ids of a slot have been used. A program that returns more
	 * slots than it has allocated must not overflow the stack.
	 */
	if (WHEEL_ID_GEN(~id) && slots->count < slots->used)
		slots->ids[slots->count++] = id + WHEEL_ID(0, 1);
	lock_release(&slots->lock);
}
