// SPDX-License-Identifier: MIT
/*
 * Reserve, release, bury, touch and delete.
 */
#include "cache.h"

static bool is_at_limit(const struct queue *queue)
{
	return queue->is_lost ||
	       queue->tubes.jobs[JOB_RESERVED] >= queue->options.reservations ||
	       !timers_have_room(queue->timers, CLOCK_QUEUE);
}

/* @max_rate permits no reservation. */
static bool is_too_early(const struct queue *queue, const struct tube *tube)
{
	return timers_now(queue->timers, CLOCK_QUEUE) < tube->next_reserve / NS_PER_MS;
}

/* Return: true if no job may be reserved now. If this ends later, workers are then served. */
static bool must_wait(struct queue *queue, struct tube *tube)
{
	if (tube->paused_until || tube_is_at_limit(tube))
		return true;
	if (!is_too_early(queue, tube))
		return false;
	timer_set(queue->timers, CLOCK_QUEUE, &tube->unpause, tube->next_reserve / NS_PER_MS);
	return true;
}

struct job *queue_reserve(struct queue *queue, struct worker *worker)
{
	struct job *best = NULL, *job;
	struct job_key best_key = JOB_KEY_LAST, key;
	struct watch *watch;

	if (is_at_limit(queue))
		return NULL;
	TAILQ_FOREACH(watch, &worker->watches, of_worker) {
		if (must_wait(queue, watch->tube))
			continue;
		job = cache_first(queue, watch->tube);
		if (!job)
			continue;
		key = job_key(&job->rec);
		if (!job_key_before(&key, &best_key))
			continue;
		best = job;
		best_key = key;
	}
	if (best)
		reserve_job(queue, best, worker);
	return best;
}

struct job *queue_reserve_id(struct queue *queue, struct worker *worker,
			     uint64_t id)
{
	struct job *job = cache_fetch(queue, id);
	bool was_ready;

	if (!job || job->rec.state == JOB_RESERVED)
		return NULL;
	if (is_at_limit(queue) || tube_is_at_limit(job->tube) ||
	    is_too_early(queue, job->tube)) {
		cache_settle(queue, job);
		return NULL;
	}
	was_ready = job->rec.state == JOB_READY;
	reserve_job(queue, job, worker);
	/* After a crash, the job must be ready, not delayed or buried. */
	if (!was_ready)
		save_reservation(queue, job);
	return job;
}

bool queue_can_process(const struct queue *queue)
{
	return !is_at_limit(queue) && !TAILQ_EMPTY(&queue->tubes.pending);
}

/* A tube is pending until it has no ready job or no waiting worker. */
struct worker *queue_process(struct queue *queue, struct job **job)
{
	struct tube *tube;

	while (queue_can_process(queue)) {
		struct watch *watch;

		tube = TAILQ_FIRST(&queue->tubes.pending);
		watch = TAILQ_FIRST(&tube->waiting);
		*job = watch ? queue_reserve(queue, watch->worker) : NULL;
		if (*job)
			return watch->worker;
		TAILQ_REMOVE(&queue->tubes.pending, tube, pending);
		tube->is_pending = false;
	}
	return NULL;
}

bool queue_delete(struct queue *queue, struct worker *worker, uint64_t id)
{
	struct job *job = cache_fetch(queue, id);
	struct tube *tube;

	if (!job)
		return false;
	if (job->rec.state == JOB_RESERVED) {
		if (job->worker != worker)
			return false;
		end_reservation(queue, job, JOB_READY);
	}
	tube = job->tube;
	queue->store->ops->remove(queue->store, &job->rec);
	queue_count_change(queue, 0);
	queue->must_commit = true;
	tube_count_stored(tube, id, job->stored, JOB_NONE);
	tube_count(tube, job->rec.state, -1);
	tube->deletes++;
	cache_forget(queue, job);
	return true;
}

static struct job *reserved_by(struct queue *queue, const struct worker *worker,
			       uint64_t id)
{
	struct job *job = cache_find(queue, id);

	return job && job->worker == worker ? job : NULL;
}

bool queue_release(struct queue *queue, struct worker *worker, uint64_t id,
		   uint32_t pri, uint64_t delay)
{
	struct job *job = reserved_by(queue, worker, id);

	if (!job)
		return false;
	job->rec.releases++;
	job->rec.pri = pri;
	job->rec.delay = delay;
	if (delay)
		job->rec.due = timers_now_ceil(queue->timers, CLOCK_QUEUE) + delay;
	end_reservation(queue, job, delay ? JOB_DELAYED : JOB_READY);
	cache_keep(queue, job);
	return true;
}

bool queue_bury(struct queue *queue, struct worker *worker, uint64_t id,
		uint32_t pri)
{
	struct job *job = reserved_by(queue, worker, id);
	uint64_t now = timers_now(queue->timers, CLOCK_QUEUE);

	if (!job)
		return false;
	job->rec.buries++;
	job->rec.pri = pri;
	end_reservation(queue, job, JOB_BURIED);
	/* Jobs are kicked in the order in which they were buried. */
	queue->stamp = queue->stamp >= now ? queue->stamp + 1 : now;
	job->rec.rank = queue->stamp;
	cache_keep(queue, job);
	return true;
}

bool queue_touch(struct queue *queue, struct worker *worker, uint64_t id)
{
	struct job *job = reserved_by(queue, worker, id);

	if (job)
		touch_job(queue, job);
	return job;
}

void queue_abandon(struct queue *queue, struct worker *worker)
{
	struct job *job;

	while ((job = LIST_FIRST(&worker->reserved))) {
		job->is_dirty = true;
		end_reservation(queue, job, JOB_READY);
		cache_settle(queue, job);
	}
}
