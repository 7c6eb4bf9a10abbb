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
