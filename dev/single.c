// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_SUBMIT with a single operation: fast path without the overhead of a batch. Arming and
 * cancelling a timer takes 2,130 instructions in this way, and 3,190 in submit.c. Each member is
 * read once. All other calls, also those whose structs cannot be read and written, are processed by
 * submit.c, which reads the struct again.
 */
#include "submit.h"

/*
 * Return the address of the operation, or NULL if the call is not for the fast path or its struct
 * cannot be read and written. Whether it can be written is checked like in wheel_op_writable(); the
 * last member is an output, so any value can be stored in it.
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
 * Copy the operation. Returns false if it cannot be read, or if its result cannot be written, which
 * is checked like in wheel_op_writable(). The layout of eight u64s is frozen.
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

/* Not inlined, because most operations are not modified. */
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

/* Execute an operation that was copied, and write its result and that of the call. */
static int single_execute(struct wheel_file *file, struct wheel_op *op,
			  struct wheel_op __user *uop, struct wheel_submit __user *ucall)
{
	struct wheel_batch b = wheel_file_begin(file);
	bool copied;

	wheel_file_execute(file, &b, op, 1);
	copied = likely(!b.has_results) || op_put(op, uop);
	return call_put(&b, ucall) && copied ? 0 : -EFAULT;
}

/*
 * Execute WHEEL_IOC_SUBMIT if it has a single operation. Returns 0, -EFAULT, or WHEEL_NOT_SINGLE if
 * nothing was done and the caller must use wheel_file_submit().
 */
int wheel_file_submit_single(struct wheel_file *file, void __user *uarg)
{
	struct wheel_op __user *uop = call_get(uarg);
	struct wheel_op op WHEEL_FILLED_LATER;

	if (!uop || unlikely(!wheel_file_ready(file)) ||
	    unlikely(wheel_clock_shifted(file->slots.setup.clock)) || !op_get(&op, uop))
		return WHEEL_NOT_SINGLE;
	return single_execute(file, &op, uop, uarg);
}
