// SPDX-License-Identifier: MIT
/*
 * Peek and kick, for jobs in memory and in the store.
 *
 * The row of a job in memory may be out of date. Then its state in memory is used, and the row
 * is skipped.
 */
#include "cache.h"

#define BATCH	512

static void kick(struct queue *queue, struct job *job)
{
	timer_cancel(queue->timers, &job->timer);
	job->rec.kicks++;
	if (job->rec.state != JOB_BURIED)
		job->rec.due = timers_now(queue->timers, CLOCK_QUEUE);
	tube_move_job(job, JOB_READY);
	cache_keep(queue, job);
}

static bool is_still(struct queue *queue, const struct job_record *rec)
{
	struct job *job = cache_find(queue, rec->id);

	return !job || job->rec.state == rec->state;
}

/* A due job is ready, even if its row has another state. */
static struct job_key first_key(struct queue *queue, enum job_state state)
{
	struct job_key first = JOB_KEY_FIRST;

	if (state == JOB_DELAYED || state == JOB_TIMED)
		first.due = timers_now(queue->timers, job_clock(state)) + 1;
	return first;
}

static uint64_t kick_state(struct queue *queue, struct tube *tube,
			   enum job_state state, uint64_t bound)
{
	struct job_key from = first_key(queue, state);
	struct job_record recs[BATCH];
	uint64_t kicked = 0;
	size_t count, most, i;

	do {
		most = bound - kicked < BATCH ? bound - kicked : BATCH;
		count = queue->store->ops->scan(queue->store, tube->number,
						  state, &from, recs, most);
		for (i = 0; i < count; i++) {
			if (!is_still(queue, &recs[i]))
				continue;
			kick(queue, cache_fetch(queue, recs[i].id));
			kicked++;
		}
		if (count)
			from = job_key(&recs[count - 1]);
		from.id++;
	} while (count == most && kicked < bound);
	return kicked;
}

uint64_t queue_kick(struct queue *queue, struct tube *tube, uint64_t bound)
{
	uint64_t kicked;

	if (bound > QUEUE_KICK_MOST)
		bound = QUEUE_KICK_MOST;
	if (tube->jobs[JOB_BURIED])
		return kick_state(queue, tube, JOB_BURIED, bound);
	kicked = kick_state(queue, tube, JOB_DELAYED, bound);
	return kicked + kick_state(queue, tube, JOB_TIMED, bound - kicked);
}

bool queue_kick_job(struct queue *queue, uint64_t id)
{
	struct job *job = cache_fetch(queue, id);

	if (!job)
		return false;
	if (job->rec.state == JOB_READY || job->rec.state == JOB_RESERVED) {
		cache_settle(queue, job);
		return false;
	}
	kick(queue, job);
	return true;
}

bool queue_peek(struct queue *queue, uint64_t id, struct job_record *rec)
{
	struct job *job = cache_find(queue, id);

	if (job)
		*rec = job->rec;
	return job || queue->store->ops->get(queue->store, id, rec);
}

static bool peek_ready(struct queue *queue, struct tube *tube,
		       struct job_record *rec)
{
	struct job *job = cache_first(queue, tube);

	if (job)
		*rec = job->rec;
	return job;
}

bool queue_peek_first(struct queue *queue, struct tube *tube,
		      enum job_state state, struct job_record *rec)
{
	struct job_key from = first_key(queue, state);

	if (state == JOB_READY)
		return peek_ready(queue, tube, rec);
	while (queue->store->ops->scan(queue->store, tube->number, state,
				       &from, rec, 1)) {
		if (is_still(queue, rec))
			return true;
		from = job_key(rec);
		from.id++;
	}
	return false;
}

uint64_t queue_time_left(struct queue *queue, const struct job_record *rec)
{
	uint64_t now = timers_now_ceil(queue->timers, job_clock(rec->state));
	uint64_t end = rec->due;

	if (rec->state == JOB_RESERVED)
		end = cache_find(queue, rec->id)->deadline_at;
	else if (rec->state != JOB_DELAYED && rec->state != JOB_TIMED)
		return 0;
	return end > now ? end - now : 0;
}
