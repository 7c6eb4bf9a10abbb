// SPDX-License-Identifier: MIT
/*
 * LIBWHEEL_BY_DEADLINE: timers that fire together, sorted as a heap would hand them out.
 * The wheel sorts by ticks alone.
 */
#include "user.h"

static u64 first_deadline(const struct wheel_slots *slots,
			  const struct wheel_slot_queue *queue)
{
	return wheel_timer_deadline(&wheel_slot_at(slots, queue->head)->timer);
}

static void move_first(struct wheel_slots *slots, struct wheel_slot_queue *from,
		       struct wheel_slot_queue *to)
{
	wheel_slot_push(slots, to, wheel_slot_pop(slots, from));
}

/**
 * order_by_deadline - sort slots
 * @slots: table, locked
 * @queue: queue of it, sorted by merging; equals stay in their order
 */
void order_by_deadline(struct wheel_slots *slots, struct wheel_slot_queue *queue)
{
	struct wheel_slot_queue early = { 0 }, late = *queue;
	u32 half = queue->count / 2;

	if (!half)
		return;
	while (half--)
		move_first(slots, &late, &early);
	order_by_deadline(slots, &early);
	order_by_deadline(slots, &late);
	queue->count = 0;
	while (early.count && late.count) {
		bool is_later = first_deadline(slots, &late) <
				first_deadline(slots, &early);

		move_first(slots, is_later ? &late : &early, queue);
	}
	while (early.count)
		move_first(slots, &early, queue);
	while (late.count)
		move_first(slots, &late, queue);
}
