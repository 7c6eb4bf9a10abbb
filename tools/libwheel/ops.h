/* SPDX-License-Identifier: MIT */
/*
 * Operations in terms of a backend's submit function: batches, and single operations as a batch
 * of one. They return the values of the public functions.
 */
#ifndef LIBWHEEL_OPS_H
#define LIBWHEEL_OPS_H

#include "handle.h"

int ops_submit(struct handle *handle, struct wheel_op *ops, __u32 count,
	       struct wheel_submit *batch);
int op_do(struct handle *handle, struct wheel_op *op);
int op_arm_with(struct handle *handle, __u32 flags, __u64 id, __u64 when,
		__u64 cookie);
int op_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie);
int op_arm_in(struct handle *handle, __u64 id, __u64 delay, __u64 cookie);
int op_rearm(struct handle *handle, __u64 id, __u64 when);
int op_rearm_or_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie);
int op_cancel(struct handle *handle, __u64 id);

#endif
