/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations, as a call makes them one after the other.
 */
#ifndef _WHEEL_DEV_OP_H
#define _WHEEL_DEV_OP_H

#include "slot.h"

/**
 * struct batch - a call on its way
 * @file: file that is set up
 * @wheel: its wheel
 * @now: the clock's only reading of this call
 * @longest: period with which a timer goes on, however late its event is read
 * @shifted: a time namespace has moved the caller's clock
 * @stride: bytes from one operation to the next in user memory
 * @ops: chunk of operations in kernel memory
 * @uops: where they are in user memory
 * @failed: operations that did
 */
struct batch {
	struct wheel_file	*file;
	struct wheel		*wheel;
	u64			now;
	u64			longest;
	bool			shifted;
	u32			stride;
	struct wheel_op		*ops;
	void __user		*uops;
	u32			failed;
};

/* op.c */
void ops_make(struct batch *b, u32 count);

/* touched.c */
int touched_arm(struct wheel_file *file, struct slot *slot, u64 deadline,
		u64 slack);
int touched_take(struct wheel_file *file, struct slot *slot, u64 id);
int touched_rearm(struct wheel_file *file, struct slot *slot, u64 deadline,
		  u64 slack);
int touched_cancel(struct wheel_file *file, struct slot *slot);

#endif
