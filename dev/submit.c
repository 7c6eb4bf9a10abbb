// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_SUBMIT: operations on timers, in batches.
 *
 * A batch goes through kernel memory in chunks: copied in, made under one lock
 * hold, its answers copied out. No user memory is touched under the lock.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "clock.h"
#include "op.h"
#include "setup.h"

static __always_inline struct wheel_op __user *user_op(const struct batch *b, u32 i)
{
	return b->uops + (size_t)i * b->stride;
}

/* Of our size, as nearly all are, operations lie as ours: one copy takes them all. */
static bool alike(const struct batch *b)
{
	return likely(b->stride == sizeof(*b->ops));
}

/* Returns how many operations came; fewer than @count: *@err says why. */
static u32 chunk_copy_in(const struct batch *b, u32 count, int *err)
{
	u32 i;

	if (alike(b) &&
	    !copy_from_user(b->ops, b->uops, count * sizeof(*b->ops)))
		return count;
	for (i = 0; i < count; i++) {
		*err = copy_struct_from_user(&b->ops[i], sizeof(b->ops[i]),
					     user_op(b, i), b->stride);
		if (*err)
			break;
	}
	return i;
}

/* How many operations that follow @i end in the page that @i ends in. */
static u32 page_mates(const struct batch *b, u32 i)
{
	unsigned long end = (unsigned long)(user_op(b, i) + 1);

	return (u32)(-end % PAGE_SIZE) / b->stride;
}

/*
 * Can the answers be written? Asked before anything is done, since an operation
 * whose answer gets lost is worse than one that is refused. What is written is
 * what is there; a page is asked for once.
 */
static u32 chunk_writable(const struct batch *b, u32 count, int *err)
{
	u32 i;

	for (i = 0; i < count; i += 1 + page_mates(b, i)) {
		struct wheel_op __user *uop = user_op(b, i);

		if (put_user(b->ops[i].op, &uop->op) ||
		    put_user(b->ops[i].reserved[2], &uop->reserved[2])) {
			*err = -EFAULT;
			return i;
		}
	}
	return count;
}

/* Everything that an operation may answer. */
static int chunk_copy_out(const struct batch *b, u32 count)
{
	u32 i;

	if (!user_write_access_begin(b->uops, (size_t)count * b->stride))
		return -EFAULT;
	for (i = 0; i < count; i++) {
		struct wheel_op __user *uop = user_op(b, i);

		unsafe_put_user(b->ops[i].id, &uop->id, fault);
		unsafe_put_user(b->ops[i].when, &uop->when, fault);
		unsafe_put_user(b->ops[i].res, &uop->res, fault);
	}
	user_write_access_end();
	return 0;
fault:
	user_write_access_end();
	return -EFAULT;
}

/* One chunk, from user memory to user memory. */
static int submit_chunk(struct batch *b, struct wheel_submit *submit, u32 count)
{
	int err = 0;

	count = chunk_copy_in(b, count, &err);
	count = chunk_writable(b, count, &err);
	ops_make(b, count);
	submit->failed = b->failed;
	submit->done += count;
	if (chunk_copy_out(b, count))
		return -EFAULT;
	b->uops = user_op(b, count);
	return err;
}

static int submit_all(struct batch *b, struct wheel_submit *submit, u32 room)
{
	int err = 0;

	while (!err && submit->done < submit->count) {
		if (submit->done && signal_pending(current))
			return -EINTR;
		err = submit_chunk(b, submit,
				   min(room, submit->count - submit->done));
		cond_resched();
	}
	return err;
}

/**
 * file_submit - WHEEL_IOC_SUBMIT
 * @file: file
 * @submit: batch
 *
 * Return: 0 or an errno; @submit says how far it came.
 */
int file_submit(struct wheel_file *file, struct wheel_submit *submit)
{
	struct wheel_op one;
	struct batch b = {
		.file	= file,
		.stride	= submit->op_size,
		.ops	= &one,
		.uops	= u64_to_user_ptr(submit->ops),
	};
	u32 room;
	int err;

	submit->done = 0;
	submit->failed = 0;
	if (submit->flags || submit->op_size < sizeof(struct wheel_op))
		return -EINVAL;
	if (submit->op_size > PAGE_SIZE)
		return -E2BIG;
	b.wheel = file_wheel(file);
	if (IS_ERR(b.wheel))
		return PTR_ERR(b.wheel);
	room = min(submit->count, wheel_batch_max(b.wheel));
	if (room > 1) {
		b.ops = kmalloc_array(room, sizeof(*b.ops), GFP_KERNEL);
		if (!b.ops)
			return -ENOMEM;
	}
	b.longest = wheel_reach(b.wheel);
	b.shifted = clock_shifted(file->setup.clock);
	b.now = wheel_now(b.wheel);
	submit->now = b.now;
	err = submit_all(&b, submit, room);
	if (b.ops != &one)
		kfree(b.ops);
	return err;
}
