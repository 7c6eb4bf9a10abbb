// SPDX-License-Identifier: MIT
/*
 * Timers that call functions, in this thread and in a thread pool.
 */
#include <libwheel_task.h>
#include <semaphore.h>
#include <stdlib.h>

#include "test.h"

/**
 * struct job - a task and its state
 * @task: the task
 * @wheel: wheel of its timer
 * @pool: thread pool
 * @id: id of its timer
 * @other: id of another timer
 * @calls: number of calls
 * @answer: return value of the operation that it executed
 * @begun: posted when it was called
 * @go: posted when it may continue
 */
struct job {
	struct libwheel_task task;
	struct libwheel *wheel;
	struct libwheel_pool *pool;
	uint64_t id;
	uint64_t other;
	int calls;
	int answer;
	sem_t begun;
	sem_t go;
};

static struct job *job_of(struct libwheel_task *task)
{
	return (struct job *)task;
}

static void job_init(struct job *job, struct libwheel *wheel,
		     void (*run)(struct libwheel_task *task,
				 const struct wheel_event *event))
{
	*job = (struct job){ .task.run = run, .wheel = wheel };
	sem_init(&job->begun, 0, 0);
	sem_init(&job->go, 0, 0);
}

static int job_arm(struct job *job, __u32 slot, __u64 when)
{
	job->id = WHEEL_ID(slot, 1);
	return libwheel_arm(job->wheel, job->id, when,
			    LIBWHEEL_COOKIE(&job->task));
}

static void wait_for(sem_t *event)
{
	while (sem_wait(event))
		;
}

static void count(struct libwheel_task *task, const struct wheel_event *event)
{
	EXPECT_EQ(job_of(task)->id, event->id);
	job_of(task)->calls++;
	sem_post(&job_of(task)->begun);
}

static void run_calls_each_once(void)
{
	struct libwheel *wheel = open_virtual(64);
	struct job jobs[3];
	int i;

	EXPECT_EQ(0, libwheel_run(wheel, 8));
	for (i = 0; i < 3; i++) {
		job_init(&jobs[i], wheel, count);
		EXPECT_EQ(0, job_arm(&jobs[i], i, MS));
	}
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(2, libwheel_run(wheel, 2));
	EXPECT_EQ(1, libwheel_run(wheel, 8));
	EXPECT_EQ(0, libwheel_run(wheel, 8));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1, jobs[i].calls);
	EXPECT_EQ(0, libwheel_stop(wheel, NULL));
	EXPECT_EQ(-ESHUTDOWN, libwheel_run(wheel, 8));
	libwheel_close(wheel);
}

static void cancel_other(struct libwheel_task *task, const struct wheel_event *event)
{
	struct job *job = job_of(task);

	(void)event;
	job->calls++;
	job->answer = libwheel_cancel(job->wheel, job->other);
	if (job->calls == 1)
		EXPECT_EQ(0, libwheel_rearm_or_arm(job->wheel, &job->id, 3 * MS,
						   LIBWHEEL_COOKIE(task)));
}

/* A function cancels another timer, and arms its own again. */
static void run_cancels_and_arms(void)
{
	struct libwheel *wheel = open_virtual(64);
	struct job one, two;

	job_init(&one, wheel, cancel_other);
	job_init(&two, wheel, count);
	EXPECT_EQ(0, job_arm(&one, 1, MS));
	EXPECT_EQ(0, job_arm(&two, 2, 2 * MS));
	one.other = two.id;
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(1, libwheel_run(wheel, 8));
	EXPECT_EQ(0, one.answer);
	EXPECT_EQ(0, advance(wheel, 3 * MS));
	EXPECT_EQ(1, libwheel_run(wheel, 8));
	EXPECT_EQ(-ENOENT, one.answer);
	EXPECT_EQ(2, one.calls);
	EXPECT_EQ(0, two.calls);
	libwheel_close(wheel);
}

/* A timer that has fired cannot be cancelled by an earlier task: its task is called. */
static void run_calls_what_was_cancelled_too_late(void)
{
	struct libwheel *wheel = open_virtual(64);
	struct job one, two;

	job_init(&one, wheel, cancel_other);
	job_init(&two, wheel, count);
	EXPECT_EQ(0, job_arm(&one, 1, MS));
	EXPECT_EQ(0, job_arm(&two, 2, MS));
	one.other = two.id;
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(2, libwheel_run(wheel, 8));
	EXPECT_EQ(-ENOENT, one.answer);
	EXPECT_EQ(1, two.calls);
	libwheel_close(wheel);
}

static void sleep_until_told(struct libwheel_task *task,
			     const struct wheel_event *event)
{
	count(task, event);
	wait_for(&job_of(task)->go);
}

/*
 * While the task of one thread sleeps, the other thread continues. Cancelling needs neither.
 */
static void pool_goes_on_beside_one_that_sleeps(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 64);
	__u64 now = libwheel_now(wheel);
	struct job sleeper, jobs[10], never;
	struct libwheel_pool *pool;
	int i;

	job_init(&sleeper, wheel, sleep_until_told);
	job_init(&never, wheel, count);
	EXPECT_EQ(0, job_arm(&never, 50, now + HOUR));
	EXPECT_EQ(0, libwheel_pool_open(&pool, wheel, 2));
	EXPECT_EQ(0, job_arm(&sleeper, 1, now));
	wait_for(&sleeper.begun);
	for (i = 0; i < 10; i++) {
		job_init(&jobs[i], wheel, count);
		EXPECT_EQ(0, job_arm(&jobs[i], 2 + i, now + i * 100 * US));
	}
	for (i = 0; i < 10; i++)
		wait_for(&jobs[i].begun);
	EXPECT_EQ(0, libwheel_cancel(wheel, never.id));
	sem_post(&sleeper.go);
	EXPECT_EQ(0, libwheel_pool_close(pool));
	EXPECT_EQ(1, sleeper.calls);
	EXPECT_EQ(0, never.calls);
	for (i = 0; i < 10; i++)
		EXPECT_EQ(1, jobs[i].calls);
	libwheel_close(wheel);
}

static void close_pool(struct libwheel_task *task, const struct wheel_event *event)
{
	struct job *job = job_of(task);
	uint64_t id = WHEEL_ID(40, 1);

	(void)event;
	wait_for(&job->go);
	job->answer = libwheel_pool_close(job->pool);
	sem_post(&job->begun);
	/* Wait until another thread closes it. */
	while (libwheel_rearm_or_arm(job->wheel, &id, WHEEL_MAX_TIME / 2, 0) !=
	       -ESHUTDOWN)
		;
	job->calls++;
}

/* Closing waits for a running task, and fails if that task calls it. */
static void pool_close_waits(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 64);
	struct libwheel_pool *pool;
	struct job job;

	job_init(&job, wheel, close_pool);
	EXPECT_EQ(0, libwheel_pool_open(&pool, wheel, 3));
	job.pool = pool;
	EXPECT_EQ(0, job_arm(&job, 1, libwheel_now(wheel)));
	sem_post(&job.go);
	wait_for(&job.begun);
	EXPECT_EQ(-EDEADLK, job.answer);
	EXPECT_EQ(0, libwheel_pool_close(pool));
	EXPECT_EQ(1, job.calls);
	EXPECT_EQ(-ESHUTDOWN, libwheel_run(wheel, 1));
	libwheel_close(wheel);
}

static void pool_refuses(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER,
		.mode = LIBWHEEL_NO_FD,
	};
	struct libwheel *silent = open_wheel(&options);
	struct libwheel *wheel = open_virtual(8);
	struct libwheel_pool *pool = NULL;

	EXPECT_EQ(-EINVAL, libwheel_pool_open(&pool, wheel, 0));
	EXPECT_EQ(-EAGAIN, libwheel_pool_open(&pool, wheel, UINT32_MAX));
	EXPECT_EQ(-EOPNOTSUPP, libwheel_pool_open(&pool, silent, 1));
	EXPECT(!pool);
	EXPECT_EQ(0, libwheel_pool_close(NULL));
	libwheel_close(silent);
	libwheel_close(wheel);
}

const struct test task_tests[] = {
	TEST(run_calls_each_once),
	TEST(run_cancels_and_arms),
	TEST(run_calls_what_was_cancelled_too_late),
	TEST(pool_goes_on_beside_one_that_sleeps),
	TEST(pool_close_waits),
	TEST(pool_refuses),
	{ NULL, NULL }
};
