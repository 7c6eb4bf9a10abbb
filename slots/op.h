/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Operations on timers, and their results.
 */
#ifndef _WHEEL_SLOTS_OP_H
#define _WHEEL_SLOTS_OP_H

#include "slots.h"

/**
 * struct wheel_batch - State of a batch of operations in one call
 * @slots: table that is set up
 * @now: time of the clock, which is read once per call
 * @failed: number of operations that failed
 * @has_results: true if an operation was modified and must be copied back to the caller
 * @needed: slot number whose page must be added before the next operation; valid only after
 *	wheel_ops_execute() returned early
 */
struct wheel_batch {
	struct wheel_slots	*slots;
	u64			now;
	u32			failed;
	bool			has_results;
	u32			needed;
};

u32 wheel_ops_execute(struct wheel_batch *b, struct wheel_op *ops, u32 from,
		      u32 count);
void wheel_op_answer(struct wheel_batch *b, struct wheel_op *op, int res);

#endif
