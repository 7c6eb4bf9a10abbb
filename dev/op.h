/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations, as a call makes them one after the other.
 */
#ifndef _WHEEL_DEV_OP_H
#define _WHEEL_DEV_OP_H

#include "dev.h"

/* Never an answer: a page must be brought first, with no lock held. */
#define OP_NEEDS_PAGE	(-EAGAIN)

/**
 * struct batch - a call on its way
 * @file: file that is set up
 * @wheel: its wheel
 * @now: the clock's only reading of this call
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
	bool			shifted;
	u32			stride;
	struct wheel_op		*ops;
	void __user		*uops;
	u32			failed;
};

int op_make(const struct batch *b, struct wheel_op *op);
int op_page_alloc(const struct batch *b, const struct wheel_op *op);

#endif
