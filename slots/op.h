/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The operations on timers: what each one does, and what it answers.
 */
#ifndef _WHEEL_SLOTS_OP_H
#define _WHEEL_SLOTS_OP_H

#include "slots.h"

/**
 * struct wheel_batch - operations of one call, on their way
 * @slots: table that is set up
 * @now: the clock's only reading of this call
 * @failed: operations that did
 * @answered: an operation is not any more as it came
 * @needed: if one needs a page that is not there, the number of the slot that it is
 *	for
 */
struct wheel_batch {
	struct wheel_slots	*slots;
	u64			now;
	u32			failed;
	bool			answered;
	u32			needed;
};

u32 wheel_ops_make(struct wheel_batch *b, struct wheel_op *ops, u32 from,
		   u32 count);
void wheel_op_answer(struct wheel_batch *b, struct wheel_op *op, int res);

#endif
