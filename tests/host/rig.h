/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test harness: performs each operation on a wheel and on the oracle, and compares the
 * results. The first difference fails the test. The subject of the test is the scheme.
 */
#ifndef _HOST_RIG_H
#define _HOST_RIG_H

#include "oracle.h"
#include "wheel.h"

/**
 * struct rig_timer - a timer of both
 * @wheel: the wheel's
 * @oracle: the oracle's
 * @deadline: as last armed
 * @fired: number of expiries
 */
struct rig_timer {
	struct wheel_timer wheel;
	struct oracle_timer oracle;
	u64 deadline;
	u64 fired;
};

/**
 * struct rig - a wheel and the oracle
 * @wheel: tested wheel
 * @oracle: reference model
 * @memory: of the wheel
 * @timer: those that the test may use
 * @timers: number of timers
 * @clock: clock of the wheel after the last operation
 * @passing: a pass is in progress
 * @doubt: a timer was removed within a pass, or a bucket is long, and no pass has
 *	yet come as far as the next expiry that the wheel has told since: it may
 *	be too early
 * @interrupted: a budget has ended a call
 * @spent: of all budgets so far
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
 * Arms, or moves when it is pending; is it pending then? The others do nothing
 * unless it is.
 */
bool rig_arm(struct rig *rig, unsigned int i, u64 deadline, u64 slack);
void rig_reduce(struct rig *rig, unsigned int i, u64 deadline, u64 slack);
void rig_cancel(struct rig *rig, unsigned int i);

/* One call of wheel_pop(); a whole pass, which returns the number of expiries. */
struct rig_timer *rig_pop(struct rig *rig, u64 until, unsigned int budget);
u64 rig_pass(struct rig *rig, u64 until, unsigned int budget);

/* One call as well; a popped timer is queued again with a later deadline. */
void rig_pop_again(struct rig *rig, u64 until, unsigned int budget,
		   u64 deadline);

void rig_drain(struct rig *rig);
void rig_forward(struct rig *rig, u64 tick);
void rig_set_back(struct rig *rig, u64 tick);

/* wheel_check() must find nothing. */
void check_wheel(const struct wheel_core *wheel);
void rig_check(const struct rig *rig);

#endif
