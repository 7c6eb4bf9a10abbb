/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test harness: performs each operation on a wheel and on the oracle, and compares the
 * results. The first difference fails the test. The subject of the test is the scheme.
 */
#ifndef _HOST_RIG_H
#define _HOST_RIG_H

#include "../kunit/oracle.h"
#include "wheel.h"

/**
 * struct rig_timer - timer of the wheel and of the oracle
 * @wheel: timer of the wheel
 * @oracle: timer of the oracle
 * @deadline: deadline armed last
 * @fired: number of expiries
 */
struct rig_timer {
	struct wheel_timer wheel;
	struct oracle_timer oracle;
	u64 deadline;
	u64 fired;
};

/**
 * struct rig - state of the test harness
 * @wheel: tested wheel
 * @oracle: reference model
 * @memory: memory of the wheel
 * @timer: timers that the test may use
 * @timers: number of timers
 * @clock: clock of the wheel after the last operation
 * @passing: a pass is in progress
 * @doubt: the wheel's next expiry may be too early, because a timer was removed within a pass
 *	or a bucket is long; cleared by a pass that reaches this expiry
 * @interrupted: a call has used up its budget
 * @spent: total of the used budgets
 * @operations: number of calls of the wheel
 */
struct rig {
	struct wheel_core wheel;
	struct oracle oracle;
	void *memory;
	struct rig_timer *timer;
	unsigned int timers;
	u64 clock;
	bool passing;
	bool doubt;
	bool interrupted;
	u64 spent;
	u64 operations;
};

/* A test has one harness at a time: the memory of the previous one is freed. */
void rig_init(struct rig *rig, u32 buckets, u64 tick_ns, unsigned int timers);

/*
 * Arm an idle timer or move a pending one. Returns true if it is pending afterwards. The other
 * functions have no effect on idle timers.
 */
bool rig_arm(struct rig *rig, unsigned int i, u64 deadline, u64 slack);
void rig_cancel(struct rig *rig, unsigned int i);

/* rig_pop() calls wheel_pop() once. rig_pass() completes a pass and returns the expiries. */
struct rig_timer *rig_pop(struct rig *rig, u64 until, unsigned int budget);
u64 rig_pass(struct rig *rig, u64 until, unsigned int budget);

/* Call wheel_pop() once. A popped timer is queued again with another deadline. */
void rig_pop_again(struct rig *rig, u64 until, unsigned int budget,
		   u64 deadline);

void rig_drain(struct rig *rig);
void rig_forward(struct rig *rig, u64 tick);
void rig_set_back(struct rig *rig, u64 tick);

/* Fail if a wheel is not consistent, see check.c. */
void check_wheel(const struct wheel_core *wheel);
void rig_check(const struct rig *rig);

#endif
