// SPDX-License-Identifier: MIT
/*
 * Transitions of jobs in memory: due, reserved, time-to-run expired.
 */
#include "cache.h"

/*
 * Reservations are stored after a delay, because most end earlier, which saves a write each. A
 * crash makes all reserved jobs ready, whether the reservation was stored or not.
 */
#define SAVE_AFTER_MS	1000
#define SAVE_AGAIN_MS	10
#define SAVE_BATCH	1000

static struct queue *queue_of(struct job *job)
{
	return container_of(job->tube->tubes, struct queue, tubes);
}

static void time_out_job(struct queue *queue, struct job *job)
{
	job->rec.timeouts++;
	queue->timeouts++;
	job->is_dirty = true;
	end_reservation(queue, job, JOB_READY);
	cache_settle(queue, job);
}

void job_timer_expired(struct timer *timer)
{
	struct job *job = container_of(timer, struct job, timer);
	struct queue *queue = queue_of(job);

	if (job->rec.state == JOB_RESERVED)
		time_out_job(queue, job);
	else
		cache_enqueue_due(queue, job);
}

void touch_job(struct queue *queue, struct job *job)
{
	job->deadline_at = timers_now_ceil(queue->timers, CLOCK_QUEUE) + job->rec.ttr;
	timer_set(queue->timers, CLOCK_QUEUE, &job->timer, job->deadline_at);
}

void reserve_job(struct queue *queue, struct job *job, struct worker *worker)
{
	timer_cancel(queue->timers, &job->timer);
	tube_move_job(job, JOB_RESERVED);
	job->rec.reserves++;
	job->is_dirty = true;
	job->worker = worker;
	LIST_INSERT_HEAD(&worker->reserved, job, reserved);
	touch_job(queue, job);
	tube_count_reserve(job->tube, timers_now(queue->timers, CLOCK_QUEUE));
	if (TAILQ_EMPTY(&queue->unsaved))
		timer_set(queue->timers, CLOCK_QUEUE, &queue->save,
			  timers_now(queue->timers, CLOCK_QUEUE) + SAVE_AFTER_MS);
	TAILQ_INSERT_TAIL(&queue->unsaved, job, unsaved);
	job->is_unsaved = true;
}

static void remove_unsaved(struct queue *queue, struct job *job)
{
	if (job->is_unsaved)
		TAILQ_REMOVE(&queue->unsaved, job, unsaved);
	job->is_unsaved = false;
}

void end_reservation(struct queue *queue, struct job *job, enum job_state state)
{
	timer_cancel(queue->timers, &job->timer);
	remove_unsaved(queue, job);
	LIST_REMOVE(job, reserved);
	job->worker = NULL;
	tube_move_job(job, state);
	/* The limit on reserved jobs may permit another one. */
	tube_add_pending(job->tube);
}

void save_reservation(struct queue *queue, struct job *job)
{
	remove_unsaved(queue, job);
	cache_save(queue, job);
	queue->must_commit = true;
}

void save_reservations(struct queue *queue)
{
	unsigned int left = SAVE_BATCH;

	while (!TAILQ_EMPTY(&queue->unsaved) && left--)
		save_reservation(queue, TAILQ_FIRST(&queue->unsaved));
	if (!TAILQ_EMPTY(&queue->unsaved))
		timer_set(queue->timers, CLOCK_QUEUE, &queue->save,
			  timers_now(queue->timers, CLOCK_QUEUE) + SAVE_AGAIN_MS);
}
