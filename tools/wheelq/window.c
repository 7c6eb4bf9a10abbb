// SPDX-License-Identifier: MIT
#include "window.h"

#include <stdlib.h>

#include "container.h"
#include "fail.h"
#include "life.h"

/* Jobs to load before others have their turn. */
#define BITE	512
/* Over its size, the window loses one part of so many. */
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
	if (job_key_before(&key, &job->tube->far[state].key)) {
		tube_set_far(job->tube, state, key);
		queue->is_stale = true;
	}
	window_forget(queue, job);
}

static bool is_near(struct queue *queue, const struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (state == JOB_BURIED)
		return false;
	if (state == JOB_RESERVED)
		return true;
	if (!job_key_before(&key, &job->tube->far[state].key))
		return false;
	return state == JOB_READY || key.due <
		near_now(queue->near, job_clock(state)) + queue->options.horizon;
}

void window_settle(struct queue *queue, struct job *job)
{
	if (!is_near(queue, job))
		drop(queue, job);
	else if (waits(job->rec.state))
		near_set(queue->near, job_clock(job->rec.state), &job->alarm,
			 job->rec.due);
}

void window_keep(struct queue *queue, struct job *job)
{
	window_save(queue, job);
	queue->must_commit = true;
	window_settle(queue, job);
}

void window_open(struct queue *queue, struct tube *tube)
{
	int state;

	for (state = JOB_DELAYED; state <= JOB_READY; state++)
		if (tube->jobs[state])
			tube_set_far(tube, state, JOB_KEY_FIRST);
	queue->is_stale = true;
}

/* As much as the window loses when it is full. */
static size_t bite_of(const struct queue *queue)
{
	size_t part = queue->options.window / PARTS;

	return part < BITE ? part : BITE;
}

/*
 * Load a bite. Of a job that is in memory the row is old: it has gone on from
 * there. The place that ends the bite is set first, as what is loaded is before it.
 */
static void load(struct queue *queue, struct tube *tube, enum job_state state)
{
	struct job_record recs[BITE + 1];
	const struct job_key *far = &tube->far[state].key;
	size_t bite = bite_of(queue);
	size_t count = queue->store->verbs->scan(queue->store, tube->number,
						 state, far, recs, bite + 1);
	size_t i;

	tube_set_far(tube, state,
		     count > bite ? job_key(&recs[bite]) : JOB_KEY_LAST);
	for (i = 0; i < count && i < bite; i++)
		if (!window_find(queue, recs[i].id))
			life_goes_on(queue, window_load(queue, tube, &recs[i]));
}

struct job *window_first(struct queue *queue, struct tube *tube)
{
	while (!job_first(tube) && tube->far[JOB_READY].key.id != UINT64_MAX)
		load(queue, tube, JOB_READY);
	return job_first(tube);
}

/*
 * What is overdue is loaded in any case, what is near while there is room. Is
 * there more to load?
 */
static bool load_near(struct queue *queue, enum job_state state)
{
	enum near_clock clock = job_clock(state);
	struct tube *tube = tube_first_far(&queue->tubes, state);
	uint64_t now = near_now(queue->near, clock);
	uint64_t horizon = queue->options.horizon;
	uint64_t due;

	near_clear(queue->near, &queue->refill[clock]);
	if (!tube)
		return false;
	due = tube->far[state].key.due;
	if (due <= now || (due < now + horizon &&
			   queue->tubes.loaded[state] < queue->options.window)) {
		load(queue, tube, state);
		return true;
	}
	/* The window is full: look again half way, when some have left it. */
	due = due < now + horizon ? now + (due - now) / 2 : due - horizon / 2;
	near_set(queue->near, clock, &queue->refill[clock], due);
	return false;
}

static int by_key(const void *a, const void *b)
{
	struct job_key ka = job_key(&(*(struct job **)a)->rec);
	struct job_key kb = job_key(&(*(struct job **)b)->rec);

	return job_key_before(&ka, &kb) ? -1 : job_key_before(&kb, &ka);
}

/* The jobs of a state in memory, in order. The caller frees them. */
static struct job **jobs_of(struct queue *queue, enum job_state state,
			    size_t *count)
{
	struct job **jobs = zeroed(queue->tubes.loaded[state],
				   sizeof(*jobs));
	struct table_entry *entry = NULL;

	*count = 0;
	while ((entry = table_next(&queue->loaded, entry))) {
		struct job *job = loaded_job(entry);

		if (job->rec.state == state)
			jobs[(*count)++] = job;
	}
	qsort(jobs, *count, sizeof(*jobs), by_key);
	return jobs;
}

/*
 * Drop the last of all; but of those that are ready a tube keeps its first, or
 * the jobs of one tube could keep those of another out of memory.
 */
static void trim(struct queue *queue, enum job_state state)
{
	size_t count, most = queue->options.window;
	struct job **jobs;

	if (queue->tubes.loaded[state] <= most)
		return;
	jobs = jobs_of(queue, state, &count);
	most -= most / PARTS;
	while (count-- > most) {
		struct job *job = jobs[count];

		if (state != JOB_READY || job_first(job->tube) != job)
			drop(queue, job);
	}
	free(jobs);
}

bool window_work(struct queue *queue)
{
	bool more = false;
	int state;

	for (state = JOB_DELAYED; state <= JOB_READY; state++)
		trim(queue, state);
	if (!queue->is_stale)
		return false;
	for (state = JOB_DELAYED; state <= JOB_TIMED; state++)
		more |= load_near(queue, state);
	queue->is_stale = more;
	return more;
}
