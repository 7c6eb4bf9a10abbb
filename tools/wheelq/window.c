// SPDX-License-Identifier: MIT
#include "window.h"

#include <stdlib.h>

#include "container.h"
#include "fail.h"
#include "life.h"

/* Jobs that are loaded in one iteration of the loop. */
#define BATCH	512
/* A batch is at most this fraction of the window. */
#define PARTS	16

static bool waits(enum job_state state)
{
	return state == JOB_DELAYED || state == JOB_TIMED;
}

static struct job *loaded_job(struct table_entry *entry)
{
	return entry ? container_of(entry, struct job, entry) : NULL;
}

struct job *window_find(struct queue *queue, uint64_t id)
{
	return loaded_job(table_find(&queue->loaded, id));
}

void window_save(struct queue *queue, struct job *job)
{
	queue->store->verbs->change(queue->store, &job->rec);
	queue_count_change(queue, job->rec.size);
	tube_count_stored(job->tube, job->rec.id, job->stored,
			  job->rec.state);
	job->stored = job->rec.state;
	job->is_ahead = false;
}

struct job *window_load(struct queue *queue, struct tube *tube,
			const struct job_record *rec)
{
	struct job *job = zeroed(1, sizeof(*job));

	job->rec = *rec;
	job->stored = rec->state;
	job->alarm.ring = life_rings;
	table_add(&queue->loaded, &job->entry, rec->id);
	job_enter(job, tube, rec->state);
	return job;
}

struct tube *window_tube(struct queue *queue, uint64_t number)
{
	struct tube *tube = tube_numbered(&queue->tubes, number);

	if (!tube)
		fail(EXIT_FAILED,
		     "the store has a job of tube %llu, which is not there",
		     (unsigned long long)number);
	return tube;
}

struct job *window_fetch(struct queue *queue, uint64_t id)
{
	struct job *job = window_find(queue, id);
	struct job_record rec;

	if (job)
		return job;
	if (!queue->store->verbs->get(queue->store, id, &rec))
		return NULL;
	return window_load(queue, window_tube(queue, rec.tube), &rec);
}

void window_forget(struct queue *queue, struct job *job)
{
	near_clear(queue->near, &job->alarm);
	job_leave(job);
	table_remove(&queue->loaded, &job->entry);
	free(job);
}

static void drop(struct queue *queue, struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (job->is_ahead)
		window_save(queue, job);
	if (job_key_before(&key, &job->tube->far[state].key))
		tube_set_far(job->tube, state, key);
	window_forget(queue, job);
}

static bool is_beyond_horizon(struct queue *queue, enum job_state state,
			      uint64_t due)
{
	return waits(state) && due >= near_now(queue->near, job_clock(state)) +
				      queue->options.horizon;
}

static bool is_near(struct queue *queue, const struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (state == JOB_BURIED)
		return false;
	if (state == JOB_RESERVED)
		return true;
	return job_key_before(&key, &job->tube->far[state].key) &&
	       !is_beyond_horizon(queue, state, key.due);
}

/*
 * Evict the last job of a state if the window is full. Each job that enters the window evicts
 * at most one, so no put costs more than O(log n). Return: the evicted job, which is freed.
 */
static const struct job *evict(struct queue *queue, enum job_state state)
{
	struct job *latest = job_latest(&queue->tubes, state);

	if (!latest || queue->tubes.loaded[state] <= queue->options.window)
		return NULL;
	drop(queue, latest);
	return latest;
}

void window_settle(struct queue *queue, struct job *job)
{
	enum job_state state = job->rec.state;

	if (!is_near(queue, job))
		drop(queue, job);
	else if (evict(queue, state) != job && waits(state))
		near_set(queue->near, job_clock(state), &job->alarm,
			 job->rec.due);
}

void window_keep(struct queue *queue, struct job *job)
{
	window_save(queue, job);
	queue->must_commit = true;
	window_settle(queue, job);
}

void window_open(struct tube *tube)
{
	int state;

	for (state = JOB_DELAYED; state <= JOB_READY; state++)
		if (tube->jobs[state])
			tube_set_far(tube, state, JOB_KEY_FIRST);
}

/*
 * Load a batch of at most @most jobs. Skip the jobs that are in memory: their rows are out of
 * date. tube->far is set first, because loaded jobs must be before it.
 */
static void load(struct queue *queue, struct tube *tube, enum job_state state,
		 size_t most)
{
	struct job_record recs[BATCH + 1];
	const struct job_key *far = &tube->far[state].key;
	size_t count = queue->store->verbs->scan(queue->store, tube->number,
						 state, far, recs, most + 1);
	size_t i;

	tube_set_far(tube, state,
		     count > most ? job_key(&recs[most]) : JOB_KEY_LAST);
	for (i = 0; i < count && i < most; i++) {
		if (window_find(queue, recs[i].id))
			continue;
		if (is_beyond_horizon(queue, state, recs[i].due)) {
			tube_set_far(tube, state, job_key(&recs[i]));
			return;
		}
		life_goes_on(queue, window_load(queue, tube, &recs[i]));
	}
}

/* The free part of the window, but at least one job and at most one batch. */
static size_t ready_batch(const struct queue *queue)
{
	uint64_t loaded = queue->tubes.loaded[JOB_READY];
	uint64_t window = queue->options.window;

	if (loaded >= window)
		return 1;
	return window - loaded < BATCH ? window - loaded : BATCH;
}

struct job *window_first(struct queue *queue, struct tube *tube)
{
	while (!job_first(tube) && tube->far[JOB_READY].key.id != UINT64_MAX)
		load(queue, tube, JOB_READY, ready_batch(queue));
	return job_first(tube);
}

/*
 * Wake up at or before @due, to refill the window. @due changes with each put that evicts a
 * job. The timer is therefore set to half the time that is left, and is rarely changed.
 */
static void wake_up_by(struct queue *queue, enum near_clock clock, uint64_t now,
		       uint64_t due)
{
	if (queue->refill[clock].id && queue->refill_at[clock] <= due)
		return;
	queue->refill_at[clock] = now + (due - now) / 2;
	near_set(queue->near, clock, &queue->refill[clock],
		 queue->refill_at[clock]);
}

/*
 * Load overdue jobs in any case, and jobs within the horizon while less than half of the
 * window is in use. The window therefore loses at least one batch of due jobs between two
 * refills, and a refill is never evicted again as a whole. In the same way, a refill begins at
 * half the horizon and ends at the horizon. Return: true if there is more to load.
 */
static bool refill(struct queue *queue, enum job_state state)
{
	enum near_clock clock = job_clock(state);
	struct tube *tube = tube_first_far(&queue->tubes, state);
	uint64_t window = queue->options.window;
	uint64_t horizon = queue->options.horizon;
	uint64_t now, due, reach;
	bool has_room = queue->tubes.loaded[state] < window / 2;

	if (!tube)
		return false;
	now = near_now(queue->near, clock);
	due = tube->far[state].key.due;
	reach = queue->is_refilling[clock] ? horizon : horizon / 2;
	queue->is_refilling[clock] = due <= now ||
				     (has_room && due < now + reach);
	if (queue->is_refilling[clock])
		load(queue, tube, state,
		     window / PARTS < BATCH ? window / PARTS : BATCH);
	else
		wake_up_by(queue, clock, now,
			   has_room ? due - horizon / 2 : due);
	return queue->is_refilling[clock];
}

bool window_work(struct queue *queue)
{
	bool more = false;
	int state;

	for (state = JOB_DELAYED; state <= JOB_TIMED; state++)
		more |= refill(queue, state);
	return more;
}
