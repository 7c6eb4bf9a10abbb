// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_SUBMIT with a single operation: a batch of one, without what pays only for
 * many. Each field is read once. If a call is not as usual, submit.c starts afresh, from
 * what it reads itself, and finds out what is wrong.
 */
#include "submit.h"

/*
 * The address of the operation, if the call makes a single one. NULL: it is another call,
 * or its struct cannot be read and written, which is asked as wheel_op_writable() does; but
 * what its last member is does not matter, since that is an answer, here and in submit.c.
 */
static struct wheel_op __user *call_get(struct wheel_submit __user *ucall)
{
	u32 size, flags, op_size, count;
	u64 ops;

	if (!user_access_begin(ucall, sizeof(*ucall)))
		return NULL;
	unsafe_get_user(size, &ucall->size, other);
	unsafe_get_user(flags, &ucall->flags, other);
	unsafe_get_user(ops, &ucall->ops, other);
	unsafe_get_user(op_size, &ucall->op_size, other);
	unsafe_get_user(count, &ucall->count, other);
	if (size != sizeof(*ucall) || flags || op_size != sizeof(struct wheel_op) ||
	    count != 1)
		goto other;
	unsafe_put_user(size, &ucall->size, other);
	unsafe_put_user(0, &ucall->now, other);
	user_access_end();
	return u64_to_user_ptr(ops);
other:
	user_access_end();
	return NULL;
}

/*
 * If it can be read, and its answer be written, which is asked as wheel_op_writable() does.
 * It consists of eight words, frozen as it is.
 */
static bool op_get(struct wheel_op *op, struct wheel_op __user *uop)
{
	u64 __user *from = (u64 __user *)uop;
	u64 *to = (u64 *)op;

	if (!user_access_begin(uop, sizeof(*uop)))
		return false;
	unsafe_get_user(to[0], &from[0], other);
	unsafe_get_user(to[1], &from[1], other);
	unsafe_get_user(to[2], &from[2], other);
	unsafe_get_user(to[3], &from[3], other);
	unsafe_get_user(to[4], &from[4], other);
	unsafe_get_user(to[5], &from[5], other);
	unsafe_get_user(to[6], &from[6], other);
	unsafe_get_user(to[7], &from[7], other);
	unsafe_put_user(to[0], &from[0], other);
	unsafe_put_user(to[7], &from[7], other);
	user_access_end();
	return true;
other:
	user_access_end();
	return false;
}

/* Not in line: nearly all operations came with their answer. */
static noinline bool op_put(const struct wheel_op *op, struct wheel_op __user *uop)
{
	bool put;

	if (!user_write_access_begin(uop, sizeof(*uop)))
		return false;
	put = wheel_op_put(op, uop);
	user_write_access_end();
	return put;
}

static bool call_put(const struct wheel_batch *b, struct wheel_submit __user *ucall)
{
	if (!user_write_access_begin(ucall, sizeof(*ucall)))
		return false;
	unsafe_put_user(1, &ucall->done, fault);
	unsafe_put_user(b->failed, &ucall->failed, fault);
	unsafe_put_user(b->now, &ucall->now, fault);
	user_write_access_end();
	return true;
fault:
	user_write_access_end();
	return false;
}

/* It came in, and its answers can go out. */
static int single_make(struct wheel_file *file, struct wheel_op *op,
		       struct wheel_op __user *uop, struct wheel_submit __user *ucall)
{
	struct wheel_batch b = wheel_file_begin(file);
	bool answered;

	wheel_file_make(file, &b, op, 1);
	answered = likely(!b.answered) || op_put(op, uop);
	return call_put(&b, ucall) && answered ? 0 : -EFAULT;
}

/**
 * wheel_file_submit_single - WHEEL_IOC_SUBMIT, if it is a single operation
 * @file: file
 * @uarg: address of the call's struct
 *
 * Return: 0, -EFAULT, or WHEEL_NOT_SINGLE: nothing was done.
 */
int wheel_file_submit_single(struct wheel_file *file, void __user *uarg)
{
	struct wheel_op __user *uop = call_get(uarg);
	struct wheel_op op WHEEL_FILLED_LATER;

	if (!uop || unlikely(!wheel_file_ready(file)) ||
	    unlikely(wheel_clock_shifted(file->slots.setup.clock)) || !op_get(&op, uop))
		return WHEEL_NOT_SINGLE;
	return single_make(file, &op, uop, uarg);
}
