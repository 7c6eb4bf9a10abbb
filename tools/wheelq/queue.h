/* SPDX-License-Identifier: MIT */
/*
 * A queue: what is near in memory and on the wheel, all of it in the store.
 *
 * Each verb takes effect at once, in memory and in the store's open transaction;
 * who is told of it is told after queue_commit(). The store's rows are the truth
 * but for jobs in memory that are ahead of theirs: a job that has become due, a
 * lease. What a crash takes from these is harmless: the job is due again.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include "timers.h"
#include "store.h"
#include "worker.h"

/* Jobs that one kick moves, at most: others wait for it. */
#define QUEUE_KICK_MOST	10000

/**
 * struct queue_options - of which size
 * @window: jobs of each state to keep in memory, about
 * @horizon: ms ahead that jobs are loaded
 * @reservations: limit on the number of reserved jobs
 * @jobs: at most so many, 0: no limit
 * @bytes: puts are refused while the store's jobs take more, 0: no limit
 * @tubes: at most so many
 * @numbers: of jobs, that the store hears of at once
 * @alarms: for other purposes than jobs
 * @by_hand: the clocks are moved by hand, for tests
 */
struct queue_options {
	uint32_t window;
	uint64_t horizon;
	uint32_t reservations;
	uint64_t jobs;
	uint64_t bytes;
	uint64_t tubes;
	uint32_t numbers;
	uint32_t timers;
	bool by_hand;
};

/**
 * struct queue - all of it
 * @unsaved: leases that the store has not heard of
 * @options: in force
 * @store: what survives
 * @timers: on both clocks
 * @job_timer_expired: a delayed job is due, or the TTR of a reserved job has expired
 * @tubes: by name
 * @loaded: the jobs in memory, by id
 * @numbers: of the store
 * @numbers_changed: the store has other ones
 * @next_id: the next job's
 * @stamp: of the job buried last
 * @save: rings when it is to hear of them
 * @keep: rings when a commit is to keep the store ours
 * @refill: by clock, rings when jobs come within the horizon
 * @refill_at: by clock, ms, the time for which @refill is set
 * @is_refilling: by clock, true while jobs up to the horizon are loaded
 * @must_commit: somebody waits for a commit
 * @uncommitted: bytes of changes since the last commit, approximately
 * @commits: how many there were
 * @damaged: number of times that a job's checksum did not match
 * @total: jobs put
 * @timeouts: leases that ran out
 */
struct queue {
	TAILQ_HEAD(, job) unsaved;
	struct queue_options options;
	struct store *store;
	struct timers *timers;
	void (*job_timer_expired)(struct timer *timer);
	struct tubes tubes;
	struct table loaded;
	struct store_numbers numbers;
	bool numbers_changed;
	uint64_t next_id;
	uint64_t stamp;
	struct timer save;
	struct timer keep;
	struct timer refill[CLOCKS];
	uint64_t refill_at[CLOCKS];
	bool is_refilling[CLOCKS];
	bool must_commit;
	uint64_t uncommitted;
	uint64_t commits;
	uint64_t damaged;
	uint64_t total;
	uint64_t timeouts;
};

/**
 * struct queue_job - what is asked for by a put
 * @pri: priority
 * @is_timed: @when is a time of the wall clock
 * @when: ms, that or a delay
 * @ttr: ms
 * @size: bytes of the body
 * @key: of the job, or NULL; a job with this key is replaced
 * @has_replaced: result: true if a job was replaced
 */
struct queue_job {
	uint32_t pri;
	bool is_timed;
	uint64_t when;
	uint64_t ttr;
	uint32_t size;
	const char *key;
	bool has_replaced;
};

/* The queue owns the store from here on. */
void queue_open(struct queue *queue, struct store *store,
		const struct queue_options *options);
/* The last commit before a server ends that was not killed. */
void queue_finish(struct queue *queue);
/* Without a commit. */
void queue_close(struct queue *queue);
void queue_commit(struct queue *queue);
/*
 * Is one needed, now that answers wait or none do? An answer of a store that another
 * server may take over is true only if it has not.
 */
bool queue_must_commit(const struct queue *queue, bool has_answers);
/*
 * To be called after timers_run() and after verbs: loads what is near, in bites;
 * is there more to load?
 */
bool queue_work(struct queue *queue);
/* Someone set the wall clock. */
void queue_clock_was_set(struct queue *queue);

/* NULL: there are as many as may be. */
struct tube *queue_tube(struct queue *queue, const char *name);
/* True if the changes should be committed before there are more. */
bool queue_batch_is_full(const struct queue *queue);
/* A change of a job, with so many bytes of its body, is part of the next commit. */
void queue_count_change(struct queue *queue, size_t bytes);
/* True if the disk of the store is full. */
bool queue_disk_is_full(const struct queue *queue);
/* That the store's jobs take by now. */
uint64_t queue_bytes(const struct queue *queue);
/* The new job's id, 0: a limit is reached. */
uint64_t queue_put(struct queue *queue, struct tube *tube,
		   struct queue_job *put, const void *body);
/* The id of the job with this key, 0 if there is none. */
uint64_t queue_find_key(struct queue *queue, const struct tube *tube,
			const char *key);
/* Read the body of a job. Return: false if it is damaged. */
bool queue_body(struct queue *queue, const struct job_record *rec, void *body);
/* The next job that a worker may have now, or NULL. */
struct job *queue_reserve(struct queue *queue, struct worker *worker);
/* A certain one. */
struct job *queue_reserve_id(struct queue *queue, struct worker *worker,
			     uint64_t id);
/* The next worker that waits and has a job now, which is *@job; or NULL. */
struct worker *queue_process(struct queue *queue, struct job **job);
/* Is there such a worker, perhaps? */
bool queue_can_process(const struct queue *queue);
/* Was it there, and not somebody else's? */
bool queue_delete(struct queue *queue, struct worker *worker, uint64_t id);
/* Did the worker have it? */
bool queue_release(struct queue *queue, struct worker *worker, uint64_t id,
		   uint32_t pri, uint64_t delay);
bool queue_bury(struct queue *queue, struct worker *worker, uint64_t id,
		uint32_t pri);
bool queue_touch(struct queue *queue, struct worker *worker, uint64_t id);
/* The worker is gone: its jobs are ready again. */
void queue_abandon(struct queue *queue, struct worker *worker);
/* How many jobs of a tube became ready; a bite at most. */
uint64_t queue_kick(struct queue *queue, struct tube *tube, uint64_t bound);
bool queue_kick_job(struct queue *queue, uint64_t id);
void queue_pause(struct queue *queue, struct tube *tube, uint64_t ms);

/* Look at a job: by its id, or at the first of a tube and a state. */
bool queue_peek(struct queue *queue, uint64_t id, struct job_record *rec);
bool queue_peek_first(struct queue *queue, struct tube *tube,
		      enum job_state state, struct job_record *rec);
/* Ms until a delayed job is ready or a lease is over. */
uint64_t queue_time_left(struct queue *queue, const struct job_record *rec);

#endif
