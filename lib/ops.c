// SPDX-License-Identifier: MIT
#include "handle.h"

/* Returns the member of an operation that is invalid, as a message for -EINVAL. */
static const char *invalid_member(const struct handle *handle, const struct wheel_op *op)
{
	__u32 flags = 0;

	if (op->op < WHEEL_OP_ARM || op->op > WHEEL_OP_QUERY)
		return "the operation is not one of WHEEL_OP_*";
	if (WHEEL_ID_SLOT(op->id) >= handle->setup.timers)
		return "the slot is not below the number of slots of the wheel";
	if (op->op == WHEEL_OP_ARM)
		flags = WHEEL_OP_REL | WHEEL_OP_WORD;
	else if (op->op == WHEEL_OP_REARM)
		flags = WHEEL_OP_REL;
	if (op->flags & ~flags)
		return "the operation does not support one of its flags";
	if (op->flags & WHEEL_OP_WORD && op->period)
		return "a timer with a word has no period";
	return "a member that the operation does not use is not 0";
}

int op_result(const struct handle *handle, const struct wheel_op *op, int res)
{
	return res == -EINVAL ? invalid(invalid_member(handle, op)) : res;
}

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

	return err ? err : op_result(handle, op, op->res);
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

/* WHEEL_OP_REARM without slack; @when is a deadline, or a delay with WHEEL_OP_REL. */
int op_rearm_with(struct handle *handle, __u32 flags, __u64 id, __u64 when)
{
	struct wheel_op op = { .op = WHEEL_OP_REARM, .flags = flags, .id = id, .when = when };

	return op_do(handle, &op);
}

/* WHEEL_OP_REARM without flags. */
int op_rearm(struct handle *handle, __u64 id, __u64 when)
{
	return op_rearm_with(handle, 0, id, when);
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
		return op_result(handle, &ops[0], ops[0].res);
	if (!ops[1].res)
		*id = ops[1].id;
	return op_result(handle, &ops[1], ops[1].res);
}

/* WHEEL_OP_CANCEL. */
int op_cancel(struct handle *handle, __u64 id)
{
	struct wheel_op op = { .op = WHEEL_OP_CANCEL, .id = id };

	return op_do(handle, &op);
}
