/* SPDX-License-Identifier: GPL-2.0 */
/*
 * WHEEL_IOC_SUBMIT: declarations shared by single operations and batches.
 */
#ifndef _WHEEL_DEV_SUBMIT_H
#define _WHEEL_DEV_SUBMIT_H

#include <linux/uaccess.h>
#include "dev.h"

/* Result of wheel_file_submit_single(): nothing was done, use wheel_file_submit(). */
#define WHEEL_NOT_SINGLE	1

/* Size of struct wheel_op in the first release, which older programs pass. */
#define WHEEL_OP_SIZE		64

int wheel_file_submit_single(struct wheel_file *file, void __user *uarg);
void wheel_file_execute_rest(struct wheel_file *file, struct wheel_batch *b,
			     struct wheel_op *ops, u32 made, u32 count);
void wheel_file_submit_run(struct wheel_file *file);

/* Begin a call: initialize the state of its batch, and read the clock. */
static inline struct wheel_batch wheel_file_begin(struct wheel_file *file)
{
	return (struct wheel_batch){
		.slots		= &file->slots,
		.now		= wheel_now(file->slots.wheel),
	};
}

/*
 * Execute @count operations under one lock hold, at most wheel_batch_max(). The results are written
 * into @ops.
 */
static inline void wheel_file_execute(struct wheel_file *file, struct wheel_batch *b,
				      struct wheel_op *ops, u32 count)
{
	struct wheel *wheel = file->slots.wheel;
	unsigned long flags = wheel_lock(wheel);
	u32 made = wheel_ops_execute(b, ops, 0, count);

	wheel_unlock(wheel, flags);
	if (unlikely(made < count))
		wheel_file_execute_rest(file, b, ops, made, count);
	if (wheel_file_deferred(file))
		wheel_file_submit_run(file);
}

/*
 * Check that a result can be written before the operation is executed. A failed operation is better
 * than one whose result is lost. The check stores the values that were read.
 */
static inline bool wheel_op_writable(const struct wheel_op *op,
				     struct wheel_op __user *uop)
{
	if (!user_write_access_begin(uop, sizeof(*uop)))
		return false;
	unsafe_put_user(op->op, &uop->op, fault);
	unsafe_put_user(op->reserved[2], &uop->reserved[2], fault);
	user_write_access_end();
	return true;
fault:
	user_write_access_end();
	return false;
}

/* Write the members that an operation can modify; the caller has begun the user access. */
static __always_inline bool wheel_op_put(const struct wheel_op *op,
					 struct wheel_op __user *uop)
{
	unsafe_put_user(op->when, &uop->when, fault);
	unsafe_put_user(op->res, &uop->res, fault);
	return true;
fault:
	return false;
}

#endif
