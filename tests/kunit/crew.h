/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A crew: tasks that do the same to one rig at the same time, and their common
 * ledger.
 */
#ifndef _WHEEL_KUNIT_CREW_H
#define _WHEEL_KUNIT_CREW_H

#include <linux/atomic.h>

#include "rig.h"

#define CREW_TASKS	4
#define CREW_ROUNDS	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ? \
			 2000 : 20000)

struct crew;

typedef void (*crew_fn)(struct crew *crew, struct rnd_state *rnd);

/**
 * struct crew - tasks that do the same, and what they did
 * @test: that they work for
 * @rig: that they work on
 * @task: what each of them does
 * @left: tasks that have not ended
 * @born: tasks that have begun
 * @done: completed by the last one
 * @armed: arms that were let in
 * @cancelled: cancels that came in time
 * @wrong: answers that should not have been
 */
struct crew {
	struct kunit		*test;
	struct rig		*rig;
	crew_fn			task;
	atomic_t		left;
	atomic_t		born;
	struct completion	done;
	atomic64_t		armed;
	atomic64_t		cancelled;
	atomic64_t		wrong;
};

struct crew *crew_start(struct rig *rig, crew_fn task);
void crew_wait(struct crew *crew);
void crew_expect_ledger(struct crew *crew);

static inline u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}
#endif
