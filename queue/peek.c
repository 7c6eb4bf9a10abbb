// SPDX-License-Identifier: MIT
/*
 * Peek, list, kick and clear, for jobs in memory and in the store.
 *
 * The row of a job in memory may be out of date. Then its state in memory is used, and the row
 * is skipped.
 */
#include "queue.h"

#define BATCH	512
/* Batches per call, because other clients wait for it. */
#define BATCHES	8

/* The state of a stored job now. A due job is ready, even if its row has another state. */
static enum job_state state_of(struct queue *queue, const struct job_record *rec)
{
	struct job *job = cache_find(&queue->cache, rec->id);
	enum job_state state = job ? job->rec.state : rec->state;

	if (state != JOB_DELAYED && state != JOB_TIMED)
		return state;
	return rec->due <= timers_now(queue->timers, job_clock(state)) ? JOB_READY :
									 JOB_DELAYED;
}

/*
 * Read at most @most jobs that have the state @stored in the store, and @state now, from the
 * position @from on. @from is set to the next position, or to JOB_KEY_LAST. Fewer jobs are read if
 * most rows have another state now, such as those of ready jobs if @state is JOB_RESERVED.
 */
static size_t scan(struct queue *queue, const struct tube *tube, enum job_state stored,
		   enum job_state state, struct job_key *from, struct job_record *recs,
		   size_t most)
{
	bool is_delayed = stored == JOB_DELAYED || stored == JOB_TIMED;
	uint64_t now = timers_now(queue->timers, job_clock(stored));
	size_t found = 0, want = most < BATCH ? most : BATCH, count, i;
	struct job_record rows[BATCH];
	int left = BATCHES;

	if (is_delayed && state == JOB_DELAYED && from->due <= now)
		*from = (struct job_key){ .due = now + 1 };
	while (found < most && left--) {
		count = queue->store->ops->scan(queue->store, tube->number, stored, from,
						rows, want);
		for (i = 0; i < count && found < most; i++) {
			if (is_delayed && state != JOB_DELAYED && rows[i].due > now)
				break;
			*from = job_key(&rows[i]);
			from->id++;
			if (state_of(queue, &rows[i]) == state)
				recs[found++] = rows[i];
		}
		if (i < want && found < most) {
			*from = JOB_KEY_LAST;
			break;
		}
		want = BATCH;
	}
	return found;
}

/* By state, the first and the last state that its jobs may have in the store. */
static const enum job_state stored_as[JOB_STATES][2] = {
	[JOB_DELAYED] = { JOB_DELAYED, JOB_TIMED },
	[JOB_READY] = { JOB_DELAYED, JOB_RESERVED },
	[JOB_RESERVED] = { JOB_DELAYED, JOB_RESERVED },
	[JOB_BURIED] = { JOB_BURIED, JOB_BURIED },
};

size_t queue_list(struct queue *queue, const struct tube *tube, enum job_state state,
		  struct queue_cursor *cursor, struct job_record *recs, size_t most)
{
	size_t found = 0;

	if (cursor->stored < stored_as[state][0])
		*cursor = (struct queue_cursor){ .stored = stored_as[state][0] };
	while (found < most && cursor->stored <= stored_as[state][1]) {
		found += scan(queue, tube, cursor->stored, state, &cursor->key,
			      &recs[found], most - found);
		if (cursor->key.id != JOB_KEY_LAST.id)
			break;
		*cursor = (struct queue_cursor){ .stored = cursor->stored + 1 };
	}
	if (cursor->stored > stored_as[state][1])
		*cursor = (struct queue_cursor){ 0 };
	return found;
}

static void kick(struct queue *queue, struct job *job)
{
	timer_cancel(queue->timers, &job->timer);
	job->rec.kicks++;
	if (job->rec.state != JOB_BURIED)
		job->rec.due = timers_now(queue->timers, CLOCK_QUEUE);
	tube_move_job(job, JOB_READY);
	cache_keep(&queue->cache, job);
}

bool queue_kick_job(struct queue *queue, uint64_t id)
{
	struct job *job = cache_fetch(&queue->cache, id);

	if (!job)
		return false;
	if (job->rec.state == JOB_READY || job->rec.state == JOB_RESERVED) {
		cache_settle(&queue->cache, job);
		return false;
	}
	kick(queue, job);
	return true;
}

/* Return: the number of jobs for which @change returned true. */
static uint64_t change_jobs(struct queue *queue, const struct tube *tube,
			    enum job_state state, uint64_t bound,
			    bool (*change)(struct queue *queue, uint64_t id))
{
	struct queue_cursor cursor = { 0 };
	struct job_record recs[BATCH];
	uint64_t changed = 0, left;
	size_t count, i;

	do {
		left = bound - changed;
		count = queue_list(queue, tube, state, &cursor, recs,
				   left < BATCH ? left : BATCH);
		for (i = 0; i < count; i++)
			changed += change(queue, recs[i].id);
	} while (cursor.stored && changed < bound);
	return changed;
}

uint64_t queue_kick(struct queue *queue, struct tube *tube, uint64_t bound)
{
	return change_jobs(queue, tube, tube->jobs[JOB_BURIED] ? JOB_BURIED : JOB_DELAYED,
			   bound < QUEUE_KICK_MOST ? bound : QUEUE_KICK_MOST, queue_kick_job);
}

static bool clear_job(struct queue *queue, uint64_t id)
{
	return queue_delete(queue, NULL, id);
}

uint64_t queue_clear(struct queue *queue, const struct tube *tube, enum job_state state,
		     uint64_t bound)
{
	if (state == JOB_RESERVED)
		return 0;
	return change_jobs(queue, tube, state,
			   bound < QUEUE_CLEAR_MOST ? bound : QUEUE_CLEAR_MOST, clear_job);
}

bool queue_peek(struct queue *queue, uint64_t id, struct job_record *rec)
{
	struct job *job = cache_find(&queue->cache, id);

	if (job)
		*rec = job->rec;
	return job || queue->store->ops->get(queue->store, id, rec);
}

static bool peek_ready(struct queue *queue, struct tube *tube,
		       struct job_record *rec)
{
	struct job *job = cache_first(&queue->cache, tube);

	if (job)
		*rec = job->rec;
	return job;
}

bool queue_peek_first(struct queue *queue, struct tube *tube,
		      enum job_state state, struct job_record *rec)
{
	struct job_key from = JOB_KEY_FIRST;

	if (state == JOB_READY)
		return peek_ready(queue, tube, rec);
	return scan(queue, tube, state, state == JOB_TIMED ? JOB_DELAYED : state, &from,
		    rec, 1);
}

uint64_t queue_time_left(struct queue *queue, const struct job_record *rec)
{
	uint64_t now = timers_now_ceil(queue->timers, job_clock(rec->state));
	uint64_t end = rec->due;

	if (rec->state == JOB_RESERVED)
		end = cache_find(&queue->cache, rec->id)->deadline_at;
	else if (rec->state != JOB_DELAYED && rec->state != JOB_TIMED)
		return 0;
	return end > now ? end - now : 0;
}
