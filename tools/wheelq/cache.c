// SPDX-License-Identifier: MIT
#include "cache.h"

#include <stdlib.h>

#include "fail.h"

/* Jobs that are loaded in one iteration of the loop. */
#define BATCH	512
/* A batch is at most this fraction of the limit on loaded jobs. */
#define PARTS	16

static bool waits(enum job_state state)
{
	return state == JOB_DELAYED || state == JOB_TIMED;
}

static struct job *loaded_job(struct table_entry *entry)
{
	return entry ? container_of(entry, struct job, entry) : NULL;
}

struct job *cache_find(struct queue *queue, uint64_t id)
{
	return loaded_job(table_find(&queue->loaded, id));
}

void cache_save(struct queue *queue, struct job *job)
{
	queue->store->ops->change(queue->store, &job->rec);
	queue_count_change(queue, job->rec.size);
	tube_count_stored(job->tube, job->rec.id, job->stored,
			  job->rec.state);
	job->stored = job->rec.state;
	job->is_dirty = false;
}

struct job *cache_load(struct queue *queue, struct tube *tube,
		       const struct job_record *rec)
{
	struct job *job = zeroed(1, sizeof(*job));

	job->rec = *rec;
	job->stored = rec->state;
	job->timer.expired = queue->job_timer_expired;
	table_add(&queue->loaded, &job->entry, rec->id);
	tube_add_job(job, tube, rec->state);
	return job;
}

struct tube *cache_tube(struct queue *queue, uint64_t number)
{
	struct tube *tube = tube_numbered(&queue->tubes, number);

	if (!tube)
		fail(EXIT_FAILED,
		     "the store has a job in tube %llu, which does not exist",
		     (unsigned long long)number);
	return tube;
}

struct job *cache_fetch(struct queue *queue, uint64_t id)
{
	struct job *job = cache_find(queue, id);
	struct job_record rec;

	if (job)
		return job;
	if (!queue->store->ops->get(queue->store, id, &rec))
		return NULL;
	return cache_load(queue, cache_tube(queue, rec.tube), &rec);
}

void cache_forget(struct queue *queue, struct job *job)
{
	timer_cancel(queue->timers, &job->timer);
	tube_remove_job(job);
	table_remove(&queue->loaded, &job->entry);
	free(job);
}

static void drop(struct queue *queue, struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (job->is_dirty)
		cache_save(queue, job);
	if (job_key_before(&key, &job->tube->on_disk[state].key))
		tube_set_on_disk(job->tube, state, key);
	cache_forget(queue, job);
}

static bool is_beyond_horizon(struct queue *queue, enum job_state state,
			      uint64_t due)
{
	return waits(state) && due >= timers_now(queue->timers, job_clock(state)) +
				      queue->options.horizon;
}

static bool belongs_in_memory(struct queue *queue, const struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (state == JOB_BURIED)
		return false;
	if (state == JOB_RESERVED)
		return true;
	return job_key_before(&key, &job->tube->on_disk[state].key) &&
	       !is_beyond_horizon(queue, state, key.due);
}

/*
 * There is no room for the timer of a delayed job. Load half as many jobs from now on, so that the
 * timers of the others are available for reservations and waits.
 */
static void lower_limit(struct queue *queue, enum job_state state)
{
	uint32_t half = queue->tubes.loaded[state] / 2 + PARTS;

	if (half >= queue->options.loaded)
		return;
	queue->options.loaded = half;
	say("timers exceed the limit on memory: loading %u jobs; see LimitMEMLOCK=, ulimit -l",
	    half);
}

/*
 * Evict the last job of a state if more jobs are loaded than the limit, or timers are missing. Each
 * loaded job evicts at most one, so no put costs more than O(log n). Return: the evicted job, which
 * is freed.
 */
static const struct job *evict(struct queue *queue, enum job_state state)
{
	struct job *latest = tubes_latest(&queue->tubes, state);
	bool has_room = !waits(state) ||
			timers_have_room(queue->timers, job_clock(state));

	if (!has_room)
		lower_limit(queue, state);
	if (!latest ||
	    (has_room && queue->tubes.loaded[state] <= queue->options.loaded))
		return NULL;
	drop(queue, latest);
	return latest;
}

void cache_settle(struct queue *queue, struct job *job)
{
	enum job_state state = job->rec.state;

	if (!belongs_in_memory(queue, job))
		drop(queue, job);
	else if (evict(queue, state) != job && waits(state))
		timer_set(queue->timers, job_clock(state), &job->timer,
			  job->rec.due);
}

void cache_keep(struct queue *queue, struct job *job)
{
	cache_save(queue, job);
	queue->must_commit = true;
	cache_settle(queue, job);
}

void cache_open(struct tube *tube)
{
	int state;

	for (state = JOB_DELAYED; state <= JOB_READY; state++)
		if (tube->jobs[state])
			tube_set_on_disk(tube, state, JOB_KEY_FIRST);
}

/* No client waits for this: the job is only stored if it is evicted. */
void cache_enqueue_due(struct queue *queue, struct job *job)
{
	job->is_dirty = true;
	tube_move_job(job, JOB_READY);
	cache_settle(queue, job);
}

/* A job was loaded: it may have become due since it was stored. */
static void enqueue_loaded_job(struct queue *queue, struct job *job)
{
	enum job_state state = job->rec.state;

	if (waits(state) &&
	    job->rec.due <= timers_now(queue->timers, job_clock(state)))
		cache_enqueue_due(queue, job);
	else
		cache_settle(queue, job);
}

/*
 * Load a batch of at most @most jobs. Skip the jobs that are in memory: their rows are out of
 * date. tube->on_disk is set first, because loaded jobs must be before it.
 */
static void load(struct queue *queue, struct tube *tube, enum job_state state,
		 size_t most)
{
	struct job_record recs[BATCH + 1];
	const struct job_key *on_disk = &tube->on_disk[state].key;
	size_t count = queue->store->ops->scan(queue->store, tube->number,
						 state, on_disk, recs, most + 1);
	size_t i;

	tube_set_on_disk(tube, state,
			 count > most ? job_key(&recs[most]) : JOB_KEY_LAST);
	for (i = 0; i < count && i < most; i++) {
		if (cache_find(queue, recs[i].id))
			continue;
		if (is_beyond_horizon(queue, state, recs[i].due)) {
			tube_set_on_disk(tube, state, job_key(&recs[i]));
			return;
		}
		enqueue_loaded_job(queue, cache_load(queue, tube, &recs[i]));
	}
}

/* The number of jobs below the limit, but at least one job and at most one batch. */
static size_t ready_batch(const struct queue *queue)
{
	uint64_t loaded = queue->tubes.loaded[JOB_READY];
	uint64_t most = queue->options.loaded;

	if (loaded >= most)
		return 1;
	return most - loaded < BATCH ? most - loaded : BATCH;
}

struct job *cache_first(struct queue *queue, struct tube *tube)
{
	while (!tube_first_ready(tube) && tube->on_disk[JOB_READY].key.id != UINT64_MAX)
		load(queue, tube, JOB_READY, ready_batch(queue));
	return tube_first_ready(tube);
}

/*
 * Wake up at or before @due, to load more jobs. @due changes with each put that evicts a
 * job. The timer is therefore set to half the time that is left, and is rarely changed.
 */
static void wake_up_by(struct queue *queue, enum timer_clock clock, uint64_t now,
		       uint64_t due)
{
	if (queue->refill[clock].id && queue->refill_at[clock] <= due)
		return;
	queue->refill_at[clock] = now + (due - now) / 2;
	timer_set(queue->timers, clock, &queue->refill[clock],
		  queue->refill_at[clock]);
}

/*
 * Load overdue jobs in any case, and jobs within the horizon while less than half of the
 * limit is loaded. At least one batch of jobs therefore becomes due between two refills, and a
 * refill is never evicted again as a whole. In the same way, a refill begins at
 * half the horizon and ends at the horizon. Return: true if there is more to load.
 */
static bool refill(struct queue *queue, enum job_state state)
{
	enum timer_clock clock = job_clock(state);
	struct tube *tube = tubes_first_on_disk(&queue->tubes, state);
	uint64_t most = queue->options.loaded;
	uint64_t horizon = queue->options.horizon;
	uint64_t now, due, reach;
	bool has_room = queue->tubes.loaded[state] < most / 2 &&
			timers_have_room(queue->timers, clock);

	if (!tube)
		return false;
	now = timers_now(queue->timers, clock);
	due = tube->on_disk[state].key.due;
	reach = queue->is_refilling[clock] ? horizon : horizon / 2;
	queue->is_refilling[clock] = due <= now ||
				     (has_room && due < now + reach);
	if (queue->is_refilling[clock])
		load(queue, tube, state,
		     most / PARTS < BATCH ? most / PARTS : BATCH);
	else
		wake_up_by(queue, clock, now,
			   has_room ? due - horizon / 2 : due);
	return queue->is_refilling[clock];
}

bool cache_work(struct queue *queue)
{
	bool more = false;
	int state;

	for (state = JOB_DELAYED; state <= JOB_TIMED; state++)
		more |= refill(queue, state);
	return more;
}
