/* SPDX-License-Identifier: GPL-2.0 */
/*
 * WHEEL_IOC_SUBMIT: what a single operation and a batch of them have in common.
 */
#ifndef _WHEEL_DEV_SUBMIT_H
#define _WHEEL_DEV_SUBMIT_H

#include <linux/uaccess.h>
#include "../slots/op.h"
#include "clock.h"
#include "event.h"

/* The call is none that is made here, and nothing has been done. */
#define WHEEL_NOT_SINGLE	1

int wheel_file_submit_single(struct wheel_file *file, void __user *uarg);
void wheel_file_make_rest(struct wheel_file *file, struct wheel_batch *b,
			  struct wheel_op *ops, u32 made, u32 count);
void wheel_file_submit_run(struct wheel_file *file);

/* A call begins: nothing has been done. */
static inline struct wheel_batch wheel_file_begin(struct wheel_file *file)
{
	return (struct wheel_batch){
		.slots		= &file->slots,
		.now		= wheel_now(file->slots.wheel),
	};
}

/**
 * wheel_file_make() - Execute operations under one lock hold
 * @file: file that is set up
 * @b: their batch
 * @ops: operations in kernel memory; the results are written into them
 * @count: their number, at most wheel_batch_max()
 */
static inline void wheel_file_make(struct wheel_file *file, struct wheel_batch *b,
				   struct wheel_op *ops, u32 count)
{
	struct wheel *wheel = file->slots.wheel;
	unsigned long flags = wheel_lock(wheel);
	u32 made = wheel_ops_make(b, ops, 0, count);

	wheel_unlock(wheel, flags);
	if (unlikely(made < count))
		wheel_file_make_rest(file, b, ops, made, count);
	if (wheel_file_deferred(file))
		wheel_file_submit_run(file);
}

/*
 * Can the answer be written? Asked before anything is done, since an operation
 * whose answer gets lost is worse than one that is refused. The bytes that are
 * there are written again.
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

/* Write all that an operation may answer, into user memory that is open for it. */
static __always_inline bool wheel_op_put(const struct wheel_op *op,
					 struct wheel_op __user *uop)
{
	unsafe_put_user(op->id, &uop->id, fault);
	unsafe_put_user(op->when, &uop->when, fault);
	unsafe_put_user(op->res, &uop->res, fault);
	return true;
fault:
	return false;
}

#endif
