// SPDX-License-Identifier: MIT
/*
 * Jobs are taken, and given back.
 */
#include "life.h"
#include "window.h"

static bool has_all_leases(const struct queue *queue)
{
	return queue->tubes.jobs[JOB_RESERVED] >= queue->options.leases;
}

struct job *queue_reserve(struct queue *queue, struct worker *worker)
{
	struct job *best = NULL, *job;
	struct job_key best_key, key;
	struct watch *watch;

	if (has_all_leases(queue))
		return NULL;
	TAILQ_FOREACH(watch, &worker->watches, of_worker) {
		if (watch->tube->paused_until)
			continue;
		job = window_first(queue, watch->tube);
		if (!job)
			continue;
		key = job_key(&job->rec);
		if (best && !job_key_before(&key, &best_key))
			continue;
		best = job;
		best_key = key;
	}
	if (best)
		life_take(queue, best, worker);
	return best;
}

struct job *queue_reserve_id(struct queue *queue, struct worker *worker,
			     uint64_t id)
{
	struct job *job = window_fetch(queue, id);
	bool was_ready;

	if (!job || job->rec.state == JOB_RESERVED)
		return NULL;
	if (has_all_leases(queue)) {
		window_settle(queue, job);
		return NULL;
	}
	was_ready = job->rec.state == JOB_READY;
	life_take(queue, job, worker);
	/* After a crash it is to be ready, not delayed or buried again. */
	if (!was_ready)
		life_save_lease(queue, job);
	return job;
}

bool queue_can_hand_out(const struct queue *queue)
{
	return !has_all_leases(queue) && !TAILQ_EMPTY(&queue->tubes.hot);
}

/* The tube stays hot until it has no job for who waits. */
struct worker *queue_hand_out(struct queue *queue, struct job **job)
{
	struct tube *tube;

	while (queue_can_hand_out(queue)) {
		struct watch *watch;

		tube = TAILQ_FIRST(&queue->tubes.hot);
		watch = TAILQ_FIRST(&tube->waiting);
		*job = watch ? queue_reserve(queue, watch->worker) : NULL;
		if (*job)
			return watch->worker;
		TAILQ_REMOVE(&queue->tubes.hot, tube, hot);
		tube->is_hot = false;
	}
	return NULL;
}

bool queue_delete(struct queue *queue, struct worker *worker, uint64_t id)
{
	struct job *job = window_fetch(queue, id);
	struct tube *tube;

	if (!job)
		return false;
	if (job->rec.state == JOB_RESERVED) {
		if (job->worker != worker)
			return false;
		life_end_lease(queue, job, JOB_READY);
	}
	tube = job->tube;
	queue->store->verbs->remove(queue->store, &job->rec);
	queue_count_change(queue, 0);
	queue->must_commit = true;
	tube_count_stored(tube, id, job->stored, JOB_NONE);
	tube_count(tube, job->rec.state, -1);
	tube->deletes++;
	window_forget(queue, job);
	return true;
}

static struct job *leased(struct queue *queue, const struct worker *worker,
			  uint64_t id)
{
	struct job *job = window_find(queue, id);

	return job && job->worker == worker ? job : NULL;
}

bool queue_release(struct queue *queue, struct worker *worker, uint64_t id,
		   uint32_t pri, uint64_t delay)
{
	struct job *job = leased(queue, worker, id);

	if (!job)
		return false;
	job->rec.releases++;
	job->rec.pri = pri;
	job->rec.delay = delay;
	if (delay)
		job->rec.due = near_after(queue->near, NEAR_QUEUE) + delay;
	life_end_lease(queue, job, delay ? JOB_DELAYED : JOB_READY);
	window_keep(queue, job);
	return true;
}

bool queue_bury(struct queue *queue, struct worker *worker, uint64_t id,
		uint32_t pri)
{
	struct job *job = leased(queue, worker, id);
	uint64_t now = near_now(queue->near, NEAR_QUEUE);

	if (!job)
		return false;
	job->rec.buries++;
	job->rec.pri = pri;
	life_end_lease(queue, job, JOB_BURIED);
	/* First buried, first kicked. */
	queue->stamp = queue->stamp >= now ? queue->stamp + 1 : now;
	job->rec.rank = queue->stamp;
	window_keep(queue, job);
	return true;
}

bool queue_touch(struct queue *queue, struct worker *worker, uint64_t id)
{
	struct job *job = leased(queue, worker, id);

	if (job)
		life_touch(queue, job);
	return job;
}

void queue_abandon(struct queue *queue, struct worker *worker)
{
	struct job *job;

	while ((job = LIST_FIRST(&worker->leases))) {
		job->is_ahead = true;
		life_end_lease(queue, job, JOB_READY);
		window_settle(queue, job);
	}
}
