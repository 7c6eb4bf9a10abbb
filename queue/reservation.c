// SPDX-License-Identifier: MIT
/*
 * Reserve, release, bury, touch and delete.
 */
#include "queue.h"

#include "clock.h"

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

static void touch_job(struct queue *queue, struct job *job)
{
	job->deadline_at = timers_now_ceil(queue->timers, CLOCK_QUEUE) + job->rec.ttr;
	timer_set(queue->timers, CLOCK_QUEUE, &job->timer, job->deadline_at);
}

static void reserve_job(struct queue *queue, struct job *job, struct worker *worker)
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

static void end_reservation(struct queue *queue, struct job *job, enum job_state state)
{
	timer_cancel(queue->timers, &job->timer);
	remove_unsaved(queue, job);
	LIST_REMOVE(job, reserved);
	job->worker = NULL;
	tube_move_job(job, state);
	/* The limit on reserved jobs may permit another one. */
	tube_add_pending(job->tube);
}

static void time_out_job(struct queue *queue, struct job *job)
{
	job->rec.timeouts++;
	queue->timeouts++;
	job->is_dirty = true;
	end_reservation(queue, job, JOB_READY);
	cache_settle(&queue->cache, job);
}

void queue_job_expired(struct timer *timer)
{
	struct job *job = container_of(timer, struct job, timer);
	struct queue *queue = queue_of(job);

	if (job->rec.state == JOB_RESERVED)
		time_out_job(queue, job);
	else
		cache_enqueue_due(&queue->cache, job);
}

static void save_reservation(struct queue *queue, struct job *job)
{
	remove_unsaved(queue, job);
	cache_save(&queue->cache, job);
	queue->store->must_commit = true;
}

void queue_save_reservations(struct queue *queue)
{
	unsigned int left = SAVE_BATCH;

	while (!TAILQ_EMPTY(&queue->unsaved) && left--)
		save_reservation(queue, TAILQ_FIRST(&queue->unsaved));
	if (!TAILQ_EMPTY(&queue->unsaved))
		timer_set(queue->timers, CLOCK_QUEUE, &queue->save,
			  timers_now(queue->timers, CLOCK_QUEUE) + SAVE_AGAIN_MS);
}

static bool is_at_limit(const struct queue *queue)
{
	return queue->store->is_lost ||
	       queue->tubes.jobs[JOB_RESERVED] >= queue->options.reservations ||
	       !timers_have_room(queue->timers, CLOCK_QUEUE);
}

/* @max_rate permits no reservation. */
static bool is_too_early(const struct queue *queue, const struct tube *tube)
{
	return timers_now(queue->timers, CLOCK_QUEUE) < tube->next_reserve / NS_PER_MS;
}

/*
 * Return: true if no job may be reserved now. If this ends later, waiting workers are then served,
 * because queue_process() has asked while there was room for a timer.
 */
static bool must_wait(struct queue *queue, struct tube *tube)
{
	if (tube->paused_until || tube_is_at_limit(tube))
		return true;
	if (!is_too_early(queue, tube))
		return false;
	if (timers_have_room(queue->timers, CLOCK_QUEUE))
		timer_set(queue->timers, CLOCK_QUEUE, &tube->unpause,
			  tube->next_reserve / NS_PER_MS);
	return true;
}

/* Return the job of the tube that may be reserved now, or NULL. */
static struct job *first_job(struct queue *queue, struct tube *tube)
{
	return must_wait(queue, tube) ? NULL : cache_first(&queue->cache, tube);
}

struct job *queue_reserve(struct queue *queue, struct worker *worker)
{
	struct job *best = NULL, *job;
	struct job_key best_key = JOB_KEY_LAST, key;
	struct watch *watch;

	if (is_at_limit(queue))
		return NULL;
	TAILQ_FOREACH(watch, &worker->watches, of_worker) {
		job = first_job(queue, watch->tube);
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
	struct job *job = cache_fetch(&queue->cache, id);
	bool was_ready;

	if (!job || job->rec.state == JOB_RESERVED)
		return NULL;
	if (is_at_limit(queue) || tube_is_at_limit(job->tube) ||
	    is_too_early(queue, job->tube)) {
		cache_settle(&queue->cache, job);
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
		/* Each worker examines all tubes that it watches, so it must find a job. */
		*job = watch && first_job(queue, tube) ?
			queue_reserve(queue, watch->worker) : NULL;
		if (*job)
			return watch->worker;
		TAILQ_REMOVE(&queue->tubes.pending, tube, pending);
		tube->is_pending = false;
	}
	return NULL;
}

bool queue_delete(struct queue *queue, struct worker *worker, uint64_t id)
{
	struct job *job = cache_fetch(&queue->cache, id);
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
	store_count_change(queue->store, 0);
	queue->store->must_commit = true;
	tube_count_stored(tube, id, job->stored, JOB_NONE);
	tube_count(tube, job->rec.state, -1);
	tube->deletes++;
	cache_forget(&queue->cache, job);
	return true;
}

static struct job *reserved_by(struct queue *queue, const struct worker *worker,
			       uint64_t id)
{
	struct job *job = cache_find(&queue->cache, id);

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
	cache_keep(&queue->cache, job);
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
	cache_keep(&queue->cache, job);
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
		cache_settle(&queue->cache, job);
	}
}
