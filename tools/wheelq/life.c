// SPDX-License-Identifier: MIT
#include "life.h"

#include "container.h"
#include "window.h"

/*
 * Most leases end before the store hears of them, which saves a write each. A
 * crash takes those from nobody: their jobs are ready again, as all leased jobs.
 */
#define SAVE_AFTER_MS	1000
#define SAVE_AGAIN_MS	10
#define SAVE_BITE	1000

static struct queue *queue_of(struct job *job)
{
	return container_of(job->tube->tubes, struct queue, tubes);
}

/* No answer waits for this: the store hears of it if memory gets short. */
static void becomes_due(struct queue *queue, struct job *job)
{
	job->is_ahead = true;
	job_move(job, JOB_READY);
	window_settle(queue, job);
}

static void lease_is_over(struct queue *queue, struct job *job)
{
	job->rec.timeouts++;
	queue->timeouts++;
	job->is_ahead = true;
	life_end_lease(queue, job, JOB_READY);
	window_settle(queue, job);
}

void life_rings(struct alarm *alarm)
{
	struct job *job = container_of(alarm, struct job, alarm);
	struct queue *queue = queue_of(job);

	if (job->rec.state == JOB_RESERVED)
		lease_is_over(queue, job);
	else
		becomes_due(queue, job);
}

void life_goes_on(struct queue *queue, struct job *job)
{
	uint64_t due = job->rec.due;

	if ((job->rec.state == JOB_DELAYED &&
	     due <= near_now(queue->near, NEAR_QUEUE)) ||
	    (job->rec.state == JOB_TIMED &&
	     due <= near_now(queue->near, NEAR_WALL)))
		becomes_due(queue, job);
	else
		window_settle(queue, job);
}

void life_touch(struct queue *queue, struct job *job)
{
	job->lease_end = near_after(queue->near, NEAR_QUEUE) + job->rec.ttr;
	near_set(queue->near, NEAR_QUEUE, &job->alarm, job->lease_end);
}

void life_take(struct queue *queue, struct job *job, struct worker *worker)
{
	near_clear(queue->near, &job->alarm);
	job_move(job, JOB_RESERVED);
	job->rec.reserves++;
	job->is_ahead = true;
	job->worker = worker;
	LIST_INSERT_HEAD(&worker->leases, job, lease);
	life_touch(queue, job);
	if (TAILQ_EMPTY(&queue->fresh))
		near_set(queue->near, NEAR_QUEUE, &queue->save,
			 near_now(queue->near, NEAR_QUEUE) + SAVE_AFTER_MS);
	TAILQ_INSERT_TAIL(&queue->fresh, job, fresh);
	job->is_fresh = true;
}

static void not_fresh(struct queue *queue, struct job *job)
{
	if (job->is_fresh)
		TAILQ_REMOVE(&queue->fresh, job, fresh);
	job->is_fresh = false;
}

void life_end_lease(struct queue *queue, struct job *job, enum job_state state)
{
	near_clear(queue->near, &job->alarm);
	not_fresh(queue, job);
	LIST_REMOVE(job, lease);
	job->worker = NULL;
	job_move(job, state);
}

void life_save_lease(struct queue *queue, struct job *job)
{
	not_fresh(queue, job);
	window_save(queue, job);
	queue->must_commit = true;
}

void life_save_leases(struct queue *queue)
{
	unsigned int left = SAVE_BITE;

	while (!TAILQ_EMPTY(&queue->fresh) && left--)
		life_save_lease(queue, TAILQ_FIRST(&queue->fresh));
	if (!TAILQ_EMPTY(&queue->fresh))
		near_set(queue->near, NEAR_QUEUE, &queue->save,
			 near_now(queue->near, NEAR_QUEUE) + SAVE_AGAIN_MS);
}
