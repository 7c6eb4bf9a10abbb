// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_SUBMIT: operations on timers, in batches. The fast path of single.c comes first.
 *
 * A batch is processed in chunks. Each chunk is copied to kernel memory and executed under one
 * lock hold; then its results are copied out. No user memory is accessed under the lock.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "dev.h"
#include "submit.h"

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

static __always_inline struct wheel_op __user *
user_op(const struct submission *s, u32 i)
{
	return s->uops + (size_t)i * s->stride;
}

/* Copy operations from the user. Returns their number; if it is less than @count, sets *@err. */
static u32 chunk_copy_in(const struct submission *s, u32 count, int *err)
{
	u32 i;

	/* If the program uses the same size of struct wheel_op, one copy suffices. */
	if (likely(s->stride == sizeof(*s->ops)) &&
	    !copy_from_user(s->ops, s->uops, count * sizeof(*s->ops)))
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

/*
 * Check that the results can be written, once per page. Returns the number of operations before
 * the first page that cannot be written.
 */
static u32 chunk_writable(const struct submission *s, u32 count, int *err)
{
	u32 i;

	for (i = 0; i < count; i += 1 + ops_in_same_page(s, i)) {
		if (!wheel_op_writable(&s->ops[i], user_op(s, i))) {
			*err = -EFAULT;
			return i;
		}
	}
	return count;
}

/*
 * Execute the operations of @ops from number @made on, of which the first needs a page. Pages are
 * allocated between lock holds. The results are written into @ops.
 */
void wheel_file_execute_rest(struct wheel_file *file, struct wheel_batch *b,
			     struct wheel_op *ops, u32 made, u32 count)
{
	struct wheel *wheel = file->slots.wheel;

	while (made < count) {
		int err = wheel_file_bring(file, WHEEL_ID_SLOT(ops[made].id),
					   ops[made].flags);
		unsigned long flags = wheel_lock(wheel);

		if (err)
			wheel_op_complete(b, &ops[made++], err);
		made = wheel_ops_execute(b, ops, made, count);
		wheel_unlock(wheel, flags);
	}
}

/* Run a step of a pass that was left to the owner. */
void wheel_file_submit_run(struct wheel_file *file)
{
	wheel_file_run(file, 0);
	wheel_file_hand_over(file);
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
	while (i < count && wheel_op_put(&s->ops[i], user_op(s, i)))
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
		wheel_file_execute(s->file, &s->batch, s->ops, count);
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
	if (wheel_clock_shifted(file->slots.setup.clock))
		return -EOPNOTSUPP;
	room = min3(submit->count, (u32)DEV_HOLD, wheel_batch_max(file->slots.wheel));
	s.ops = kmalloc_array(room, sizeof(*s.ops), GFP_KERNEL);
	if (!s.ops)
		return -ENOMEM;
	s.batch = wheel_file_begin(file);
	submit->now = s.batch.now;
	err = submit_all(&s, submit, room);
	kfree(s.ops);
	return err;
}
