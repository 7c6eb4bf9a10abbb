// SPDX-License-Identifier: MIT
#include "queue.h"

#include "clock.h"
#include "fail.h"

#define BATCH		512
/* A job that is about to evict another one, and the timers of struct queue. */
#define OWN_TIMERS	8
/* Limits on the number and the size of the bodies that are read ahead. */
#define AHEAD		256
#define AHEAD_BYTES	(1 << 20)
/* Limit on the age of the stored clock when jobs are put, in ms. */
#define CLOCK_BATCH_MS	1000

static void unpause_expired(struct timer *timer)
{
	struct tube *tube = container_of(timer, struct tube, unpause);

	tube->paused_until = 0;
	tube_add_pending(tube);
	tube_drop(tube);
}

static struct tube *make_tube(struct queue *queue, const char *name, uint64_t number)
{
	struct tube *tube = tube_make(&queue->tubes, name, number);

	tube->unpause.expired = unpause_expired;
	return tube;
}

static void open_tube(void *context, const struct store_tube *stored)
{
	struct queue *queue = context;
	struct tube *tube = make_tube(queue, stored->name, stored->number);
	int state;

	tube->is_stored = true;
	tube->turn = stored->turn;
	for (state = JOB_DELAYED; state < JOB_STATES; state++) {
		tube->stored[state] = stored->jobs[state];
		tube_count(tube, state, stored->jobs[state]);
	}
}

static void count_jobs(void *context, uint64_t number, enum job_state state,
		       uint64_t jobs)
{
	struct queue *queue = context;
	struct tube *tube = cache_tube(&queue->cache, number);

	tube->stored[state] += jobs;
	tube_count_uncounted(tube, state, jobs);
	tube_count(tube, state, jobs);
}

static void open_limit(void *context, const struct store_limit *limit)
{
	struct queue *queue = context;
	struct tube *tube = tube_find(&queue->tubes, limit->name) ?:
			    make_tube(queue, limit->name, 0);

	tube->max_reserved = limit->reserved;
	tube->max_rate = limit->rate;
}

static void open_tubes(struct queue *queue)
{
	const struct store_ops *ops = queue->store->ops;

	queue->next_id = queue->numbers.next_id;
	queue->tubes.counted = queue->numbers.counted;
	ops->tubes(queue->store, queue, open_tube);
	ops->count(queue->store, queue->numbers.counted, queue, count_jobs);
	ops->limits(queue->store, queue, open_limit);
}

/*
 * Store the counts of all jobs, and allocate @count ids. Most puts then write only their job. After
 * a crash, the server counts the jobs with these ids, and uses none of the ids again.
 */
static void take_numbers(struct queue *queue, uint64_t count)
{
	tubes_count_until(&queue->tubes, queue->next_id);
	queue->numbers.counted = queue->next_id;
	queue->numbers.next_id = queue->next_id + count;
	queue->numbers_changed = true;
}

/* A crash ends all reservations, and counts as a timeout. */
static void end_reservations(struct queue *queue, struct tube *tube)
{
	struct job_record recs[BATCH];
	size_t count, i;

	do {
		count = queue->store->ops->scan(queue->store, tube->number,
						  JOB_RESERVED, &JOB_KEY_FIRST,
						  recs, BATCH);
		for (i = 0; i < count; i++) {
			struct job *job = cache_load(&queue->cache, tube, &recs[i]);

			job->rec.timeouts++;
			tube_move_job(job, JOB_READY);
			cache_save(&queue->cache, job);
			cache_forget(&queue->cache, job);
		}
		queue_commit(queue);
	} while (count);
}

static void save_expired(struct timer *timer)
{
	queue_save_reservations(container_of(timer, struct queue, save));
}

static void keep_store(struct queue *queue)
{
	if (queue->store->lease)
		timer_set(queue->timers, CLOCK_QUEUE, &queue->keep,
			  timers_now(queue->timers, CLOCK_QUEUE) +
			 queue->store->lease / 3);
}

static void keep_expired(struct timer *timer)
{
	struct queue *queue = container_of(timer, struct queue, keep);

	queue->store->must_commit = true;
	keep_store(queue);
}

static void open_timers(struct queue *queue)
{
	const struct queue_options *o = &queue->options;
	struct timers_options timers = {
		/* Delayed jobs, reserved jobs, paused tubes, and the queue's own. */
		.timers = o->loaded + o->reservations + o->tubes + o->timers +
			  OWN_TIMERS,
		.boot = queue->numbers.boot,
		.ahead = queue->numbers.ahead,
		.skew = queue->numbers.skew,
		.least = queue->numbers.clock,
		.by_hand = o->by_hand,
	};

	queue->timers = timers_open(&timers);
	queue_clock_was_set(queue);
	queue->save.expired = save_expired;
	queue->keep.expired = keep_expired;
	keep_store(queue);
}

static void open_cache(struct queue *queue)
{
	queue->cache = (struct cache){
		.store = queue->store, .timers = queue->timers, .tubes = &queue->tubes,
		.expired = queue_job_expired,
		.limit = queue->options.loaded, .horizon = queue->options.horizon,
	};
	cache_open(&queue->cache);
}

void queue_open(struct queue *queue, struct store *store,
		const struct queue_options *options)
{
	struct tube *tube;

	*queue = (struct queue){ .options = *options, .store = store };
	tubes_init(&queue->tubes);
	TAILQ_INIT(&queue->unsaved);
	store->ops->numbers(store, &queue->numbers);
	open_timers(queue);
	open_cache(queue);
	open_tubes(queue);
	TAILQ_FOREACH(tube, &queue->tubes.list, all) {
		if (tube->stored[JOB_RESERVED])
			end_reservations(queue, tube);
		cache_open_tube(tube);
	}
	take_numbers(queue, queue->options.numbers);
	queue_commit(queue);
}

/*
 * A reservation that is stored ends like one that is not: at the start of the next server, it must
 * not count as a timeout.
 */
static void save_ended_reservations(struct queue *queue)
{
	const struct table *jobs = &queue->cache.jobs;
	struct table_entry *entry;

	for (entry = table_next(jobs, NULL); entry; entry = table_next(jobs, entry)) {
		struct job *job = container_of(entry, struct job, entry);

		if (job->stored == JOB_RESERVED)
			cache_save(&queue->cache, job);
	}
}

void queue_finish(struct queue *queue)
{
	save_ended_reservations(queue);
	take_numbers(queue, 0);
	queue_commit(queue);
}

void queue_close(struct queue *queue)
{
	cache_close(&queue->cache);
	tubes_clear(&queue->tubes);
	timers_close(queue->timers);
	queue->store->ops->close(queue->store);
}

static void save_tubes(struct queue *queue)
{
	while (!TAILQ_EMPTY(&queue->tubes.changed)) {
		struct tube *tube = TAILQ_FIRST(&queue->tubes.changed);
		struct store_tube stored = {
			.number = tube->number, .name = tube->name, .turn = tube->turn,
			.is_gone = !tube_jobs(tube->stored),
		};
		int state;

		for (state = JOB_DELAYED; state < JOB_STATES; state++)
			stored.jobs[state] = tube->stored[state] -
					     tube->uncounted[state];
		queue->store->ops->set_tube(queue->store, &stored);
		tube->is_stored = !stored.is_gone;
		tube->turn = stored.turn;
		TAILQ_REMOVE(&queue->tubes.changed, tube, changed);
		tube->has_changed = false;
		tube_drop(tube);
	}
}

static void save_numbers(struct queue *queue)
{
	if (!queue->numbers_changed)
		return;
	queue->numbers.clock = timers_now(queue->timers, CLOCK_QUEUE);
	queue->store->ops->set_numbers(queue->store, &queue->numbers);
	queue->numbers_changed = false;
}

void queue_commit(struct queue *queue)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);

	save_tubes(queue);
	save_numbers(queue);
	queue->store->ops->commit(queue->store);
	queue->store->must_commit = false;
	queue->store->uncommitted = 0;
	queue->commits++;
	histogram_add(&queue->commit_time, (clock_ns(CLOCK_MONOTONIC) - begun) / NS_PER_US);
}

/* A lost store commits nothing, so that waiting for a commit would have no end. */
bool queue_commit_is_full(const struct queue *queue)
{
	const struct store *store = queue->store;

	return !store->is_lost && store->batch && store->uncommitted >= store->batch;
}

bool queue_must_commit(const struct queue *queue, bool has_answers)
{
	return !queue->store->is_lost &&
	       (queue->store->must_commit || queue_commit_is_full(queue) ||
		(has_answers && queue->store->lease));
}

void queue_prepare(struct queue *queue)
{
	if (queue->store->ops->begin)
		queue->store->ops->begin(queue->store);
}

bool queue_work(struct queue *queue)
{
	return !queue->store->is_lost && cache_work(&queue->cache);
}

void queue_clock_was_set(struct queue *queue)
{
	queue->numbers.boot = timers_boot();
	queue->numbers.ahead = timers_ahead(queue->timers);
	queue->numbers.skew = timers_skew(queue->timers);
	queue->numbers_changed = true;
	queue->store->must_commit = true;
}

struct tube *queue_tube(struct queue *queue, const char *name)
{
	struct tube *tube = tube_find(&queue->tubes, name);

	if (tube)
		return tube;
	if (queue->tubes.count >= queue->options.tubes)
		return NULL;
	return make_tube(queue, name, 0);
}

void queue_pause(struct queue *queue, struct tube *tube, uint64_t ms)
{
	tube->pause = ms;
	tube->pauses++;
	if (!ms) {
		timer_cancel(queue->timers, &tube->unpause);
		unpause_expired(&tube->unpause);
		return;
	}
	tube->paused_until = timers_now_ceil(queue->timers, CLOCK_QUEUE) + ms;
	timer_set(queue->timers, CLOCK_QUEUE, &tube->unpause, tube->paused_until);
}

void queue_limit(struct queue *queue, struct tube *tube, uint64_t reserved, uint64_t rate)
{
	const struct store_limit limit = { tube->name, reserved, rate };

	tube->max_reserved = reserved;
	tube->max_rate = rate;
	tube->next_reserve = 0;
	queue->store->ops->set_limit(queue->store, &limit);
	queue->store->must_commit = true;
	tube_add_pending(tube);
	if (tube->paused_until)
		return;
	timer_cancel(queue->timers, &tube->unpause);
	tube_drop(tube);
}

/*
 * A job was reserved. Unless its body is at hand, read it, and those of the ready jobs that are
 * probably reserved next.
 */
static void read_ahead(struct queue *queue, const struct job_record *rec)
{
	const struct store_ops *ops = queue->store->ops;
	const struct tube *tube = tube_numbered(&queue->tubes, rec->tube);
	uint64_t ids[AHEAD] = { rec->id };
	size_t count = 1, bytes = rec->size, i;

	if (!ops->has_body || ops->has_body(queue->store, rec->id))
		return;
	for (i = 0; i < tube->ready.count && count < AHEAD; i++) {
		const struct job *job = container_of(tube->ready.nodes[i], struct job, heap);

		bytes += job->rec.size;
		if (bytes > AHEAD_BYTES)
			break;
		ids[count++] = job->rec.id;
	}
	ops->read_ahead(queue->store, ids, count);
}

bool queue_body(struct queue *queue, const struct job_record *rec, void *body)
{
	if (rec->state == JOB_RESERVED)
		read_ahead(queue, rec);
	if (queue->store->ops->body(queue->store, rec->id, body, rec->size))
		return true;
	say("job %llu is damaged: its checksum does not match",
	    (unsigned long long)rec->id);
	queue->damaged++;
	return false;
}

uint64_t queue_bytes(const struct queue *queue)
{
	return queue->store->ops->bytes(queue->store);
}

bool queue_disk_is_full(const struct queue *queue)
{
	const struct store_ops *ops = queue->store->ops;

	return ops->is_full && ops->is_full(queue->store);
}

static bool has_room(const struct queue *queue, size_t bytes)
{
	const struct store_ops *ops = queue->store->ops;

	return !queue->store->is_lost &&
	       (!ops->has_room || ops->has_room(queue->store, bytes));
}

static bool is_full(const struct queue *queue)
{
	const struct queue_options *o = &queue->options;

	return (o->jobs && tube_jobs(queue->tubes.jobs) >= o->jobs) ||
	       (o->bytes && queue_bytes(queue) >= o->bytes);
}

/*
 * A job without delay is due now. If the delays of jobs that replace one another are limited, a job
 * is as old as the first of these.
 */
static enum job_state when_due(struct queue *queue, const struct queue_job *put,
			       struct job_record *rec)
{
	uint64_t now = timers_now(queue->timers, CLOCK_QUEUE);

	rec->created = put->first ? put->first : now;
	if (!put->is_timed) {
		rec->delay = put->when;
		rec->due = put->when ?
			timers_now_ceil(queue->timers, CLOCK_QUEUE) + put->when : now;
		if (put->most && rec->due > rec->created + put->most)
			rec->due = rec->created + put->most;
		return rec->due > now ? JOB_DELAYED : JOB_READY;
	}
	rec->due = put->when;
	return put->when <= timers_now(queue->timers, CLOCK_WALL) ? JOB_READY :
							       JOB_TIMED;
}

static uint64_t insert(struct queue *queue, struct tube *tube,
		       const struct queue_job *put, const void *body)
{
	struct job_record rec = {
		.pri = put->pri, .ttr = put->ttr, .size = put->size,
		.tube = tube->number,
	};

	if (queue->next_id == queue->numbers.next_id)
		take_numbers(queue, queue->options.numbers);
	rec.id = queue->next_id++;
	rec.state = when_due(queue, put, &rec);
	rec.rank = rec.state == JOB_READY ? rec.pri : 0;
	if (timers_now(queue->timers, CLOCK_QUEUE) >= queue->numbers.clock + CLOCK_BATCH_MS)
		queue->numbers_changed = true;
	tube->total++;
	queue->total++;
	queue->store->ops->put(queue->store, &rec, body);
	if (put->key)
		queue->store->ops->set_key(queue->store, rec.id, put->key);
	store_count_change(queue->store, rec.size);
	tube_count_stored(tube, rec.id, JOB_NONE, rec.state);
	tube_count(tube, rec.state, 1);
	queue->store->must_commit = true;
	cache_settle(&queue->cache, cache_load(&queue->cache, tube, &rec));
	return rec.id;
}

uint64_t queue_find_key(struct queue *queue, const struct tube *tube,
			const char *key)
{
	return queue->store->ops->find_key(queue->store, tube->number, key);
}

/* A worker that has reserved the job keeps it, without the key. */
static bool replace(struct queue *queue, const struct tube *tube, struct queue_job *put)
{
	uint64_t id = queue_find_key(queue, tube, put->key);
	struct job_record old = { 0 };

	if (!id)
		return false;
	if (put->most)
		queue_peek(queue, id, &old);
	if (queue_delete(queue, NULL, id)) {
		put->first = old.created;
		return true;
	}
	queue->store->ops->set_key(queue->store, id, NULL);
	return false;
}

uint64_t queue_put(struct queue *queue, struct tube *tube,
		   struct queue_job *put, const void *body)
{
	if (is_full(queue) || !has_room(queue, put->size))
		return 0;
	put->has_replaced = put->key && replace(queue, tube, put);
	return insert(queue, tube, put, body);
}
