/* SPDX-License-Identifier: GPL-2.0 */
/*
 * WHEEL_IOC_SUBMIT: what a single operation and a batch of them have in common.
 */
#ifndef _WHEEL_DEV_SUBMIT_H
#define _WHEEL_DEV_SUBMIT_H

#include <linux/uaccess.h>
#include "../slots/op.h"
#include "clock.h"
#include "dev.h"

/* The call is none that is made here, and nothing has been done. */
#define WHEEL_NOT_SINGLE	1

int wheel_file_submit_single(struct wheel_file *file, void __user *uarg);
void wheel_file_make_rest(struct wheel_file *file, struct wheel_batch *b,
			  struct wheel_op *ops, u32 made, u32 count);

/* A call begins: nothing has been done. */
static inline struct wheel_batch wheel_file_begin(struct wheel_file *file)
{
	return (struct wheel_batch){
		.slots		= &file->slots,
		.now		= wheel_now(file->slots.wheel),
		.shifted	= wheel_clock_shifted(file->slots.setup.clock),
	};
}

/*
 * One lock hold. Returns how many operations are made by now. Interrupts are disabled for
 * the wheel's lock in any case; to do so for both costs less.
 */
static inline u32 wheel_file_make_locked(struct wheel_file *file, struct wheel_batch *b,
					 struct wheel_op *ops, u32 made, u32 count)
{
	struct wheel *wheel = file->slots.wheel;
	unsigned long flags;

	spin_lock_irq(&file->lock);
	flags = wheel_lock(wheel);
	made = wheel_ops_make(b, ops, made, count);
	wheel_unlock(wheel, flags);
	spin_unlock_irq(&file->lock);
	return made;
}

/**
 * wheel_file_make - make operations, under one lock hold
 * @file: file that is set up
 * @b: their batch
 * @ops: the operations, in kernel memory; answered
 * @count: how many, at most wheel_batch_max()
 *
 * An event that a CANCEL was too late for can be read when this returns.
 */
static inline void wheel_file_make(struct wheel_file *file, struct wheel_batch *b,
				   struct wheel_op *ops, u32 count)
{
	u32 made = wheel_file_make_locked(file, b, ops, 0, count);

	if (unlikely(made < count || b->beaten))
		wheel_file_make_rest(file, b, ops, made, count);
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
