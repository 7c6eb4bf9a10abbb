// SPDX-License-Identifier: MIT
#include "handle.h"

/* Execute a batch. Returns 0 or a negative errno. */
int ops_submit(struct handle *handle, struct wheel_op *ops, __u32 count,
	       struct wheel_submit *batch)
{
	*batch = (struct wheel_submit){
		.size		= sizeof(*batch),
		.ops		= (__u64)(size_t)ops,
		.op_size	= sizeof(*ops),
		.count		= count,
	};
	return handle_command(handle, WHEEL_IOC_SUBMIT, batch);
}

/* Execute an operation. Returns its result, or a negative errno. */
int op_do(struct handle *handle, struct wheel_op *op)
{
	struct wheel_submit batch;
	int err = ops_submit(handle, op, 1, &batch);

	return err ? err : op->res;
}

/* WHEEL_OP_ARM; @when is a deadline, or a delay with WHEEL_OP_REL. */
int op_arm_with(struct handle *handle, __u32 flags, __u64 id, __u64 when,
		__u64 cookie)
{
	struct wheel_op op = {
		.op	= WHEEL_OP_ARM,
		.flags	= flags,
		.id	= id,
		.when	= when,
		.cookie	= cookie,
	};

	return op_do(handle, &op);
}

/* WHEEL_OP_ARM without flags. */
int op_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie)
{
	return op_arm_with(handle, 0, id, when, cookie);
}

/* WHEEL_OP_REARM without slack. */
int op_rearm(struct handle *handle, __u64 id, __u64 when)
{
	struct wheel_op op = { .op = WHEEL_OP_REARM, .id = id, .when = when };

	return op_do(handle, &op);
}

/* One of the two operations fails: after REARM succeeded, the slot is busy. */
int op_rearm_or_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie)
{
	struct wheel_op ops[] = {
		{ .op = WHEEL_OP_REARM, .id = *id, .when = when },
		{ .op = WHEEL_OP_ARM, .id = *id + WHEEL_ID(0, 1), .when = when,
		  .cookie = cookie },
	};
	struct wheel_submit batch;
	int err = ops_submit(handle, ops, 2, &batch);

	if (err)
		return err;
	if (ops[0].res != -ENOENT)
		return ops[0].res;
	if (!ops[1].res)
		*id = ops[1].id;
	return ops[1].res;
}

/* WHEEL_OP_CANCEL. */
int op_cancel(struct handle *handle, __u64 id)
{
	struct wheel_op op = { .op = WHEEL_OP_CANCEL, .id = id };

	return op_do(handle, &op);
}
