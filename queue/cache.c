// SPDX-License-Identifier: MIT
#include "cache.h"

#include <stdlib.h>

#include "fail.h"

/* Jobs that are loaded in one iteration of the loop. */
#define BATCH	512
/* A batch is at most this fraction of the limit on loaded jobs. */
#define PARTS	16

/* The wake-up itself is sufficient: cache_work() follows. */
static void refill_expired(struct timer *timer)
{
	(void)timer;
}

void cache_open(struct cache *cache)
{
	cache->refill[CLOCK_QUEUE].expired = refill_expired;
	cache->refill[CLOCK_WALL].expired = refill_expired;
}

static bool waits(enum job_state state)
{
	return state == JOB_DELAYED || state == JOB_TIMED;
}

static struct job *loaded_job(struct table_entry *entry)
{
	return entry ? container_of(entry, struct job, entry) : NULL;
}

struct job *cache_find(struct cache *cache, uint64_t id)
{
	return loaded_job(table_find(&cache->jobs, id));
}

void cache_save(struct cache *cache, struct job *job)
{
	cache->store->ops->change(cache->store, &job->rec);
	store_count_change(cache->store, job->rec.size);
	tube_count_stored(job->tube, job->rec.id, job->stored,
			  job->rec.state);
	job->stored = job->rec.state;
	job->is_dirty = false;
}

struct job *cache_load(struct cache *cache, struct tube *tube,
		       const struct job_record *rec)
{
	struct job *job = zeroed(1, sizeof(*job));

	job->rec = *rec;
	job->stored = rec->state;
	job->timer.expired = cache->expired;
	table_add(&cache->jobs, &job->entry, rec->id);
	tube_add_job(job, tube, rec->state);
	return job;
}

struct tube *cache_tube(struct cache *cache, uint64_t number)
{
	struct tube *tube = tube_numbered(cache->tubes, number);

	if (!tube)
		fail(EXIT_FAILED,
		     "the store has a job in tube %llu, which does not exist",
		     (unsigned long long)number);
	return tube;
}

struct job *cache_fetch(struct cache *cache, uint64_t id)
{
	struct job *job = cache_find(cache, id);
	struct job_record rec;

	if (job)
		return job;
	if (!cache->store->ops->get(cache->store, id, &rec))
		return NULL;
	return cache_load(cache, cache_tube(cache, rec.tube), &rec);
}

void cache_forget(struct cache *cache, struct job *job)
{
	timer_cancel(cache->timers, &job->timer);
	tube_remove_job(job);
	table_remove(&cache->jobs, &job->entry);
	free(job);
}

void cache_close(struct cache *cache)
{
	struct table_entry *entry = table_next(&cache->jobs, NULL), *next;

	for (; entry; entry = next) {
		next = table_next(&cache->jobs, entry);
		cache_forget(cache, loaded_job(entry));
	}
	table_clear(&cache->jobs);
}

static void drop(struct cache *cache, struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (job->is_dirty)
		cache_save(cache, job);
	if (job_key_before(&key, &job->tube->on_disk[state].key))
		tube_set_on_disk(job->tube, state, key);
	cache_forget(cache, job);
}

static bool is_beyond_horizon(struct cache *cache, enum job_state state,
			      uint64_t due)
{
	return waits(state) && due >= timers_now(cache->timers, job_clock(state)) +
				      cache->horizon;
}

static bool belongs_in_memory(struct cache *cache, const struct job *job)
{
	enum job_state state = job->rec.state;
	struct job_key key = job_key(&job->rec);

	if (state == JOB_BURIED)
		return false;
	if (state == JOB_RESERVED)
		return true;
	return job_key_before(&key, &job->tube->on_disk[state].key) &&
	       !is_beyond_horizon(cache, state, key.due);
}

/*
 * There is no room for the timer of a delayed job. Load half as many jobs from now on, so that the
 * timers of the others are available for reservations and waits.
 */
static void lower_limit(struct cache *cache, enum job_state state)
{
	uint32_t half = cache->tubes->loaded[state] / 2 + PARTS;

	if (half >= cache->limit)
		return;
	cache->limit = half;
	say("timers exceed the limit on memory: loading %u jobs; see LimitMEMLOCK=, ulimit -l",
	    half);
}

/*
 * Evict the last job of a state if more jobs are loaded than the limit, or timers are missing. Each
 * loaded job evicts at most one, so no put costs more than O(log n). Return: the evicted job, which
 * is freed.
 */
static const struct job *evict(struct cache *cache, enum job_state state)
{
	struct job *latest = tubes_latest(cache->tubes, state);
	bool has_room = !waits(state) ||
			timers_have_room(cache->timers, job_clock(state));

	if (!has_room)
		lower_limit(cache, state);
	if (!latest ||
	    (has_room && cache->tubes->loaded[state] <= cache->limit))
		return NULL;
	drop(cache, latest);
	return latest;
}

void cache_settle(struct cache *cache, struct job *job)
{
	enum job_state state = job->rec.state;

	if (!belongs_in_memory(cache, job))
		drop(cache, job);
	else if (evict(cache, state) != job && waits(state))
		timer_set(cache->timers, job_clock(state), &job->timer,
			  job->rec.due);
}

void cache_keep(struct cache *cache, struct job *job)
{
	cache_save(cache, job);
	cache->store->must_commit = true;
	cache_settle(cache, job);
}

void cache_open_tube(struct tube *tube)
{
	int state;

	for (state = JOB_DELAYED; state <= JOB_READY; state++)
		if (tube->jobs[state])
			tube_set_on_disk(tube, state, JOB_KEY_FIRST);
}

/* No client waits for this: the job is only stored if it is evicted. */
void cache_enqueue_due(struct cache *cache, struct job *job)
{
	uint64_t now = timers_now(cache->timers, job_clock(job->rec.state));

	tube_count_late(job->tube, now > job->rec.due ? now - job->rec.due : 0);
	job->is_dirty = true;
	tube_move_job(job, JOB_READY);
	cache_settle(cache, job);
}

/* A job was loaded: it may have become due since it was stored. */
static void enqueue_loaded_job(struct cache *cache, struct job *job)
{
	enum job_state state = job->rec.state;

	if (waits(state) &&
	    job->rec.due <= timers_now(cache->timers, job_clock(state)))
		cache_enqueue_due(cache, job);
	else
		cache_settle(cache, job);
}

/*
 * Load a batch of at most @most jobs. Skip the jobs that are in memory: their rows are out of
 * date. tube->on_disk is set first, because loaded jobs must be before it.
 */
static void load(struct cache *cache, struct tube *tube, enum job_state state,
		 size_t most)
{
	struct job_record recs[BATCH + 1];
	const struct job_key *on_disk = &tube->on_disk[state].key;
	size_t count = cache->store->ops->scan(cache->store, tube->number,
						 state, on_disk, recs, most + 1);
	size_t i;

	tube_set_on_disk(tube, state,
			 count > most ? job_key(&recs[most]) : JOB_KEY_LAST);
	for (i = 0; i < count && i < most; i++) {
		if (cache_find(cache, recs[i].id))
			continue;
		if (is_beyond_horizon(cache, state, recs[i].due)) {
			tube_set_on_disk(tube, state, job_key(&recs[i]));
			return;
		}
		enqueue_loaded_job(cache, cache_load(cache, tube, &recs[i]));
	}
}

/* The number of jobs below the limit, but at least one job and at most one batch. */
static size_t ready_batch(const struct cache *cache)
{
	uint64_t loaded = cache->tubes->loaded[JOB_READY];
	uint64_t most = cache->limit;

	if (loaded >= most)
		return 1;
	return most - loaded < BATCH ? most - loaded : BATCH;
}

struct job *cache_first(struct cache *cache, struct tube *tube)
{
	while (!tube_first_ready(tube) && tube->on_disk[JOB_READY].key.id != UINT64_MAX)
		load(cache, tube, JOB_READY, ready_batch(cache));
	return tube_first_ready(tube);
}

/*
 * Wake up at or before @due, to load more jobs. @due changes with each put that evicts a
 * job. The timer is therefore set to half the time that is left, and is rarely changed.
 */
static void wake_up_by(struct cache *cache, enum timer_clock clock, uint64_t now,
		       uint64_t due)
{
	if (cache->refill[clock].id && cache->refill_at[clock] <= due)
		return;
	cache->refill_at[clock] = now + (due - now) / 2;
	timer_set(cache->timers, clock, &cache->refill[clock],
		  cache->refill_at[clock]);
}

/*
 * Load overdue jobs in any case, and jobs within the horizon while less than half of the
 * limit is loaded. At least one batch of jobs therefore becomes due between two refills, and a
 * refill is never evicted again as a whole. In the same way, a refill begins at
 * half the horizon and ends at the horizon. Return: true if there is more to load.
 */
static bool refill(struct cache *cache, enum job_state state)
{
	enum timer_clock clock = job_clock(state);
	struct tube *tube = tubes_first_on_disk(cache->tubes, state);
	uint64_t most = cache->limit;
	uint64_t horizon = cache->horizon;
	uint64_t now, due, reach;
	bool has_room = cache->tubes->loaded[state] < most / 2 &&
			timers_have_room(cache->timers, clock);

	if (!tube)
		return false;
	now = timers_now(cache->timers, clock);
	due = tube->on_disk[state].key.due;
	reach = cache->is_refilling[clock] ? horizon : horizon / 2;
	cache->is_refilling[clock] = due <= now ||
				     (has_room && due < now + reach);
	if (cache->is_refilling[clock])
		load(cache, tube, state,
		     most / PARTS < BATCH ? most / PARTS : BATCH);
	else
		wake_up_by(cache, clock, now,
			   has_room ? due - horizon / 2 : due);
	return cache->is_refilling[clock];
}

bool cache_work(struct cache *cache)
{
	bool more = false;
	int state;

	for (state = JOB_DELAYED; state <= JOB_TIMED; state++)
		more |= refill(cache, state);
	return more;
}
