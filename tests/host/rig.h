/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wheel and the oracle side by side: what is done to one is done to the
 * other, and each answer is compared. The first difference fails the test. The
 * wheel's scheme is the subject of the test.
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
 * @fired: how often it has
 */
struct rig_timer {
	struct wheel_timer wheel;
	struct oracle_timer oracle;
	u64 deadline;
	u64 fired;
};

/**
 * struct rig - see above
 * @wheel: what is tested
 * @oracle: what it should do
 * @memory: of the wheel
 * @timer: those that the test may use
 * @timers: how many
 * @clock: of the wheel, when last looked at
 * @passing: a pass is under way
 * @doubt: a timer was removed within a pass, or a bucket is crowded, and no pass has
 *	yet come as far as the next expiry that the wheel has told since: it may
 *	be too early
 * @interrupted: a budget has ended a call
 * @spent: of all budgets so far
 * @operations: how many calls the wheel has answered
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

/* A test has one rig at a time: the memory of the one before is freed. */
void rig_init(struct rig *rig, u32 buckets, u64 tick_ns, unsigned int timers);

/*
 * Arms, or moves when it is pending; is it pending then? The others do nothing
 * unless it is.
 */
bool rig_arm(struct rig *rig, unsigned int i, u64 deadline, u64 slack);
void rig_reduce(struct rig *rig, unsigned int i, u64 deadline, u64 slack);
void rig_cancel(struct rig *rig, unsigned int i);

/* One call of wheel_pop(); the whole of a pass, and how many it fired. */
struct rig_timer *rig_pop(struct rig *rig, u64 until, unsigned int budget);
u64 rig_pass(struct rig *rig, u64 until, unsigned int budget);

/* One call as well; a timer that is popped is filed again, its deadline moved. */
void rig_pop_again(struct rig *rig, u64 until, unsigned int budget,
		   u64 deadline);

void rig_drain(struct rig *rig);
void rig_forward(struct rig *rig, u64 tick);
void rig_set_back(struct rig *rig, u64 tick);

/* wheel_check() must find nothing. */
void check_wheel(const struct wheel_core *wheel);
void rig_check(const struct rig *rig);

#endif
