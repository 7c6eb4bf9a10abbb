// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>

#include "crew.h"

static int crew_task(void *data)
{
	struct crew *crew = data;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, atomic_inc_return(&crew->born));
	crew->task(crew, &rnd);
	if (atomic_dec_and_test(&crew->left))
		kthread_complete_and_exit(&crew->done, 0);
	return 0;
}

/**
 * crew_start() - Start the tasks
 * @rig: fixture that they operate on
 * @task: function that each task executes; it must return
 *
 * If a task cannot be started, the test fails, but crew_wait() returns.
 *
 * Return: the crew.
 */
struct crew *crew_start(struct rig *rig, crew_fn task)
{
	struct crew *crew = kunit_kzalloc(rig->test, sizeof(*crew), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(rig->test, crew);
	crew->test = rig->test;
	crew->rig = rig;
	crew->task = task;
	init_completion(&crew->done);
	crew->until = jiffies + CREW_JIFFIES;
	atomic_set(&crew->left, CREW_TASKS);
	for (i = 0; i < CREW_TASKS; i++) {
		struct task_struct *one = kthread_run(crew_task, crew, "crew/%d", i);

		if (!IS_ERR(one))
			continue;
		KUNIT_FAIL(rig->test, "cannot start a task");
		if (atomic_dec_and_test(&crew->left))
			complete(&crew->done);
	}
	return crew;
}

void crew_wait(struct crew *crew)
{
	wait_for_completion(&crew->done);
	KUNIT_EXPECT_EQ(crew->test, atomic64_read(&crew->wrong), 0);
}

/* Compare the wheel's counters with the results. The number of expiries depends on timing. */
void crew_expect_ledger(struct crew *crew)
{
	const struct wheel_stats *stats = rig_stats(crew->rig);
	struct kunit *test = crew->test;

	KUNIT_EXPECT_EQ(test, stats->armed, atomic64_read(&crew->armed));
	KUNIT_EXPECT_EQ(test, stats->cancelled, atomic64_read(&crew->cancelled));
	KUNIT_EXPECT_EQ(test, stats->fired, crew->rig->calls);
	KUNIT_EXPECT_EQ(test, stats->pending, 0);
	KUNIT_EXPECT_GT(test, stats->armed, 0);
	KUNIT_EXPECT_GT(test, stats->cancelled, 0);
}

static void crew_cancel(struct crew *crew, struct wheel_timer *timer, bool sync)
{
	const struct rig_kind *kind = crew->rig->kind;
	int error = sync ? kind->cancel_sync(timer) : kind->cancel(timer);

	if (!error)
		atomic64_inc(&crew->cancelled);
	else if (error != -ENOENT && (sync || error != kind->running))
		atomic64_inc(&crew->wrong);
}

/* Execute a random operation on a timer. */
void crew_operate(struct crew *crew, struct rnd_state *rnd, struct wheel_timer *timer,
		  u64 deadline)
{
	const struct rig_kind *kind = crew->rig->kind;
	u32 verb = below(rnd, 6);

	if (verb == 0 ? !kind->arm(timer, deadline, 0) :
	    verb == 1 && !kind->mod(timer, deadline, 0))
		atomic64_inc(&crew->armed);
	if (verb == 2)
		kind->rearm(timer, deadline, 0);
	if (verb == 3)
		wheel_timer_push(timer, deadline);
	if (verb >= 4)
		crew_cancel(crew, timer, verb == 5);
}

static void arm_until_stopped(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int error;

	do {
		error = rig_arm(rig, below(rnd, rig->count),
				rig_now(rig) + below(rnd, NSEC_PER_MSEC));
		if (!error)
			atomic64_inc(&crew->armed);
		else if (error != -EBUSY && error != -ESHUTDOWN)
			atomic64_inc(&crew->wrong);
		cond_resched();
	} while (error != -ESHUTDOWN);
}

/*
 * Stop the wheel while tasks arm its timers. Each one either expires or is returned. Returns false
 * if no timers expire. The tasks end when the wheel is stopped, so the test is not aborted before.
 */
bool crew_stop_while_arming(struct rig *rig)
{
	struct wheel_timer *timer, *next;
	struct crew *crew;
	LIST_HEAD(unfired);
	bool expire;
	u64 back = 0;

	rig->shared = true;
	rig_await(rig, 100);
	crew = crew_start(rig, arm_until_stopped);
	expire = wait_for_completion_timeout(&rig->done, PATIENCE);
	KUNIT_EXPECT_TRUE(rig->test, expire);
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, &unfired), 0);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		list_del(&timer->node);
		back++;
	}
	crew_wait(crew);
	KUNIT_EXPECT_EQ(rig->test, rig->calls + back, atomic64_read(&crew->armed));
	KUNIT_EXPECT_EQ(rig->test, rig_stats(rig)->cancelled, back);
	return expire;
}
