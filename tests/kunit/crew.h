/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several tasks that execute the same function on one fixture concurrently, and the expected
 * counters.
 */
#ifndef _WHEEL_KUNIT_CREW_H
#define _WHEEL_KUNIT_CREW_H

#include <linux/atomic.h>
#include <linux/jiffies.h>

#include "rig.h"

#define CREW_TASKS	4
#define CREW_ROUNDS	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ? \
			 2000 : 20000)
/* KUnit aborts a test after 300 s. A busy machine that emulates another ends earlier. */
#define CREW_JIFFIES	(100 * HZ)

struct crew;

typedef void (*crew_fn)(struct crew *crew, struct rnd_state *rnd);

/**
 * struct crew - Concurrent tasks, and the sums of their results
 * @test: test that started them
 * @rig: fixture that they operate on
 * @task: function that each of them executes
 * @left: number of tasks that have not ended
 * @born: number of tasks that have begun
 * @done: completed by the last task
 * @until: time in jiffies after which tasks begin no other round
 * @armed: number of arms that succeeded
 * @cancelled: number of cancels that succeeded
 * @wrong: number of unexpected results
 */
struct crew {
	struct kunit		*test;
	struct rig		*rig;
	crew_fn			task;
	atomic_t		left;
	atomic_t		born;
	struct completion	done;
	unsigned long		until;
	atomic64_t		armed;
	atomic64_t		cancelled;
	atomic64_t		wrong;
};

struct crew *crew_start(struct rig *rig, crew_fn task);
void crew_wait(struct crew *crew);
void crew_expect_ledger(struct crew *crew);
void crew_operate(struct crew *crew, struct rnd_state *rnd, struct wheel_timer *timer,
		  u64 deadline);
bool crew_stop_while_arming(struct rig *rig);

/* Return true if a task that has executed @rounds rounds must execute another. */
static inline bool crew_continues(const struct crew *crew, int rounds)
{
	return rounds < CREW_ROUNDS && time_before(jiffies, crew->until);
}

static inline u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}
#endif
