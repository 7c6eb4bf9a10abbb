// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Slots: initialization, and description of their timers.
 */
#include "slots.h"

/* Initialize an empty table that is zeroed. */
void wheel_slots_init(struct wheel_slots *slots)
{
	INIT_LIST_HEAD(&slots->fired);
	slots->stopped_at = WHEEL_NEVER;
}

/* Prevent further arming. Periods after @now do not count as missed. */
void wheel_slots_stop(struct wheel_slots *slots, u64 now)
{
	WRITE_ONCE(slots->stopping, true);
	slots->stopped_at = min(slots->stopped_at, now);
}

/* Initialize the slots of a zeroed page, which contains slot @nr, with generation 0. */
void wheel_slot_page_init(const struct wheel_slots *slots, struct wheel_slot *page, u32 nr)
{
	u32 first = nr - nr % WHEEL_SLOTS_PER_PAGE;
	u32 i;

	for (i = 0; i < WHEEL_SLOTS_PER_PAGE; i++) {
		wheel_timer_init(&page[i].timer, slots->wheel, NULL);
		page[i].id = WHEEL_ID(first + i, 0);
	}
}

/* Create the operation that arms a timer again. Returns false if it was not pending at last. */
bool wheel_slot_describe(const struct wheel_slots *slots,
			 const struct wheel_slot *slot, struct wheel_op *op)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);
	const struct wheel_params *params;

	if (slot->state != WHEEL_SLOT_STOPPED && !wheel_slot_pending(slots, slot, &deadline))
		return false;
	params = wheel_params(slots, slot);
	*op = (struct wheel_op){
		.op	= WHEEL_OP_ARM,
		.flags	= slot->word ? WHEEL_OP_WORD : 0,
		.id	= slot->id,
		.when	= deadline,
		.slack	= params->slack,
		.period	= params->period,
		.cookie	= params->cookie,
	};
	return true;
}
