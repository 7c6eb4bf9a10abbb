// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_SUBMIT: operations on timers.
 *
 * A batch is processed in chunks. Each chunk is copied to kernel memory and executed under one
 * lock hold; then its results are copied out. No user memory is accessed under the lock.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "dev.h"

/*
 * Check that a result can be written before the operation is executed. A failed operation is better
 * than one whose result is lost. The check stores the values that were read.
 */
static bool op_writable(const struct wheel_op *op, struct wheel_op __user *uop)
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
static __always_inline bool op_put(const struct wheel_op *op, struct wheel_op __user *uop)
{
	unsafe_put_user(op->when, &uop->when, fault);
	unsafe_put_user(op->res, &uop->res, fault);
	return true;
fault:
	return false;
}

/* Begin a call: initialize the state of its batch, and read the clock. */
static void batch_begin(struct wheel_batch *b, struct wheel_file *file)
{
	b->slots = &file->slots;
	b->now = wheel_now(file->slots.wheel);
	b->failed = 0;
	b->has_results = false;
}

/* Execute the operations from number @made on. Pages are allocated between lock holds. */
static void execute_rest(struct wheel_file *file, struct wheel_batch *b,
			 struct wheel_op *ops, u32 made, u32 count)
{
	struct wheel *wheel = file->slots.wheel;

	while (made < count) {
		int err = wheel_file_bring(file, WHEEL_ID_SLOT(ops[made].id), ops[made].flags);

		wheel_lock(wheel);
		if (err)
			wheel_op_complete(b, &ops[made++], err);
		made = wheel_ops_execute(b, ops, made, count);
		wheel_unlock(wheel);
	}
}

/* Execute up to wheel_batch_max() operations under one lock hold. Results are written to @ops. */
static inline void execute(struct wheel_file *file, struct wheel_batch *b,
			   struct wheel_op *ops, u32 count)
{
	struct wheel *wheel = file->slots.wheel;
	u32 made;

	wheel_lock(wheel);
	made = wheel_ops_execute(b, ops, 0, count);
	wheel_unlock(wheel);
	if (unlikely(made < count))
		execute_rest(file, b, ops, made, count);
	if (wheel_file_deferred(file)) {
		wheel_file_run(file, 0);
		wheel_file_hand_over(file);
	}
}

/*
 * A single operation: fast path without the overhead of a batch, which takes 1.5 times the
 * instructions. Each member is read once. Returns the address of the operation, or NULL if the call
 * has another form or its struct cannot be read and written: wheel_file_submit() reads it again.
 * Whether it can be written is checked like in op_writable(); the last member is an output, so any
 * value can be stored in it.
 */
static struct wheel_op __user *call_get(struct wheel_submit __user *ucall)
{
	/* Usual values of @size and @flags, and of @op_size and @count, compared as integers. */
	static const u32 head[] __aligned(8) = { sizeof(*ucall), 0 };
	static const u32 form[] __aligned(8) = { sizeof(struct wheel_op), 1 };
	u64 pair, ops;

	if (!user_access_begin(ucall, sizeof(*ucall)))
		return NULL;
	unsafe_get_user(pair, (u64 __user *)&ucall->size, other);
	if (pair != *(const u64 *)head)
		goto other;
	unsafe_put_user(pair, (u64 __user *)&ucall->size, other);
	unsafe_get_user(ops, &ucall->ops, other);
	unsafe_get_user(pair, (u64 __user *)&ucall->op_size, other);
	if (pair != *(const u64 *)form)
		goto other;
	unsafe_put_user(0, &ucall->now, other);
	user_access_end();
	return u64_to_user_ptr(ops);
other:
	user_access_end();
	return NULL;
}

/* Copy the operation, whose layout of eight u64s is frozen. Checks it like op_writable(), too. */
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
static noinline bool single_put(const struct wheel_op *op, struct wheel_op __user *uop)
{
	bool put;

	if (!user_write_access_begin(uop, sizeof(*uop)))
		return false;
	put = op_put(op, uop);
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

/* Execute WHEEL_IOC_SUBMIT of a single operation. Returns 0, -EFAULT or WHEEL_NOT_SINGLE. */
int wheel_file_submit_single(struct wheel_file *file, void __user *uarg)
{
	struct wheel_op __user *uop = call_get(uarg);
	struct wheel_op op WHEEL_FILLED_LATER;
	struct wheel_batch b WHEEL_FILLED_LATER;
	bool copied;

	if (!uop || unlikely(!wheel_file_ready(file)) ||
	    unlikely(wheel_file_shifted(file)) || !op_get(&op, uop))
		return WHEEL_NOT_SINGLE;
	batch_begin(&b, file);
	execute(file, &b, &op, 1);
	copied = likely(!b.has_results) || single_put(&op, uop);
	return call_put(&b, uarg) && copied ? 0 : -EFAULT;
}

/**
 * struct submission - State of a call
 * @batch: state that its operations share
 * @file: file that is set up
 * @ops: current chunk of operations in kernel memory
 * @uops: address of the current chunk in user memory
 * @stride: size of an operation in user memory, in bytes
 */
struct submission {
	struct wheel_batch	batch;
	struct wheel_file	*file;
	struct wheel_op		*ops;
	void __user		*uops;
	u32			stride;
};

static __always_inline struct wheel_op __user *user_op(const struct submission *s, u32 i)
{
	return s->uops + (size_t)i * s->stride;
}

/* Copy operations from the user. Returns their number; if it is less than @count, sets *@err. */
static u32 chunk_copy_in(const struct submission *s, u32 count, int *err)
{
	u32 i;

	/* If both sizes agree, one copy suffices. A constant size is checked at compile time. */
	if (likely(s->stride == sizeof(*s->ops)) &&
	    !(count == DEV_HOLD ? copy_from_user(s->ops, s->uops, DEV_HOLD * sizeof(*s->ops)) :
				  copy_from_user(s->ops, s->uops, count * sizeof(*s->ops))))
		return count;
	for (i = 0; i < count; i++) {
		*err = copy_struct_from_user(&s->ops[i], sizeof(s->ops[i]),
					     user_op(s, i), s->stride);
		if (*err)
			break;
	}
	return i;
}

/* Return the number of operations after @i whose results are in the same page as that of @i. */
static u32 ops_in_same_page(const struct submission *s, u32 i)
{
	unsigned long end = (unsigned long)user_op(s, i) + WHEEL_OP_SIZE;

	return (u32)(-end % PAGE_SIZE) / s->stride;
}

/* Return the number of operations before the first page that cannot be written. */
static u32 chunk_writable(const struct submission *s, u32 count, int *err)
{
	u32 i;

	for (i = 0; i < count; i += 1 + ops_in_same_page(s, i)) {
		if (!op_writable(&s->ops[i], user_op(s, i))) {
			*err = -EFAULT;
			return i;
		}
	}
	return count;
}

/* Copy the results out. Nothing is written if no operation was modified and all succeeded. */
static int chunk_copy_out(struct submission *s, u32 count)
{
	u32 i = 0;

	if (likely(!s->batch.has_results))
		return 0;
	s->batch.has_results = false;
	if (!user_write_access_begin(s->uops, (size_t)count * s->stride))
		return -EFAULT;
	while (i < count && op_put(&s->ops[i], user_op(s, i)))
		i++;
	user_write_access_end();
	return i < count ? -EFAULT : 0;
}

/* Process the operations of a call, chunk by chunk. */
static int submit_all(struct submission *s, struct wheel_submit *submit, u32 room)
{
	int err = 0;

	while (!err && submit->done < submit->count) {
		u32 count = min(room, submit->count - submit->done);

		if (submit->done && signal_pending(current))
			return -EINTR;
		count = chunk_copy_in(s, count, &err);
		count = chunk_writable(s, count, &err);
		execute(s->file, &s->batch, s->ops, count);
		submit->failed = s->batch.failed;
		submit->done += count;
		if (chunk_copy_out(s, count))
			return -EFAULT;
		s->uops = user_op(s, count);
		cond_resched();
	}
	return err;
}

/* WHEEL_IOC_SUBMIT. The output members report the progress, also on error. */
int wheel_file_submit(struct wheel_file *file, void *arg)
{
	struct wheel_submit *submit = arg;
	struct submission s = {
		.file		= file,
		.uops		= u64_to_user_ptr(submit->ops),
		.stride		= submit->op_size,
	};
	u32 room;
	int err;

	submit->done = 0;
	submit->failed = 0;
	if (submit->flags || submit->op_size < WHEEL_OP_SIZE)
		return -EINVAL;
	if (submit->op_size > PAGE_SIZE)
		return -E2BIG;
	err = wheel_file_ensure_setup(file);
	if (err)
		return err;
	if (wheel_file_shifted(file))
		return -EOPNOTSUPP;
	room = min3(submit->count, (u32)DEV_HOLD, wheel_batch_max(file->slots.wheel));
	s.ops = kmalloc_array(room, sizeof(*s.ops), GFP_KERNEL);
	if (!s.ops)
		return -ENOMEM;
	batch_begin(&s.batch, file);
	submit->now = s.batch.now;
	err = submit_all(&s, submit, room);
	kfree(s.ops);
	return err;
}
