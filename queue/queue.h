/* SPDX-License-Identifier: MIT */
/*
 * A queue: all jobs are in the store, and those that are due soon also in memory, with a timer.
 *
 * Each function takes effect immediately, in memory and in the open transaction of the store.
 * Responses are sent after queue_commit(). A job in memory may be newer than its row in the store:
 * when it has become due, or when it was reserved. A crash then makes the job due again, which is
 * harmless.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include "cache.h"
#include "worker.h"

/* Limit on the number of jobs per kick, because other clients wait for it. */
#define QUEUE_KICK_MOST	10000
/* The same for a clear. */
#define QUEUE_CLEAR_MOST	1000

/**
 * struct queue_options - limits
 * @loaded: jobs of each state in memory
 * @horizon: ms; delayed jobs that are due within this time are loaded
 * @reservations: limit on the number of reserved jobs
 * @jobs: limit on the number of jobs, 0: none
 * @bytes: limit on the size of the jobs in the store, 0: none
 * @tubes: limit on the number of tubes
 * @numbers: number of job ids that are allocated in the store together
 * @timers: number of timers for other purposes than jobs; less than 0 in tests: fewer timers in all
 * @by_hand: true if tests move the clocks
 */
struct queue_options {
	uint32_t loaded;
	uint64_t horizon;
	uint32_t reservations;
	uint64_t jobs;
	uint64_t bytes;
	uint64_t tubes;
	uint32_t numbers;
	int32_t timers;
	bool by_hand;
};

/**
 * struct queue - a queue
 * @unsaved: reserved jobs whose reservation is not in the store
 * @options: limits
 * @store: all jobs
 * @timers: on both clocks
 * @tubes: by name
 * @cache: the jobs in memory
 * @numbers: values of the store
 * @numbers_changed: true if @numbers must be stored
 * @next_id: id of the next job
 * @stamp: rank of the last buried job
 * @save: expires when @unsaved must be stored
 * @keep: expires when the store needs a commit to show that this server lives
 * @commits: number of commits
 * @commit_time: how long they took
 * @damaged: number of times that a job's checksum did not match
 * @total: jobs put
 * @timeouts: reservations whose TTR expired
 */
struct queue {
	TAILQ_HEAD(, job) unsaved;
	struct queue_options options;
	struct store *store;
	struct timers *timers;
	struct tubes tubes;
	struct cache cache;
	struct store_numbers numbers;
	bool numbers_changed;
	uint64_t next_id;
	uint64_t stamp;
	struct timer save;
	struct timer keep;
	uint64_t commits;
	struct histogram commit_time;
	uint64_t damaged;
	uint64_t total;
	uint64_t timeouts;
};

/**
 * struct queue_job - the arguments of a put
 * @pri: priority
 * @is_timed: true if @when is a time of the wall clock
 * @when: ms, a time or a delay
 * @ttr: time-to-run, ms
 * @size: bytes of the body
 * @key: of the job, or NULL; a job with this key is replaced
 * @most: ms, the job is due at most this long after the first of the jobs that replaced one
 *	another; 0: no limit
 * @first: ms, when that was put; set by queue_put()
 * @has_replaced: result: true if a job was replaced
 */
struct queue_job {
	uint32_t pri;
	bool is_timed;
	uint64_t when;
	uint64_t ttr;
	uint32_t size;
	const char *key;
	uint64_t most;
	uint64_t first;
	bool has_replaced;
};

/**
 * struct queue_cursor - a position in the jobs of a tube and a state
 * @stored: state that the next job has in the store; JOB_NONE: the first job, or the end
 * @key: position of the next job among these
 */
struct queue_cursor {
	uint32_t stored;
	struct job_key key;
};

/* Open a queue, which then owns the store. */
void queue_open(struct queue *queue, struct store *store,
		const struct queue_options *options);
/* Make the last commit before the server ends normally. No worker has reserved a job. */
void queue_finish(struct queue *queue);
/* Close without a commit. */
void queue_close(struct queue *queue);
void queue_commit(struct queue *queue);
/*
 * Return: true if a commit is needed. If another server may take over the store, a commit must
 * precede every response, because it verifies that this has not happened.
 */
bool queue_must_commit(const struct queue *queue, bool has_answers);
/* Prepare the store for the next change, while no client waits. */
void queue_prepare(struct queue *queue);
/* Load a batch of jobs that are due soon. Return: true if there is more to load. */
bool queue_work(struct queue *queue);
/* The wall clock was set. */
void queue_clock_was_set(struct queue *queue);

/* Find or create a tube. Return: NULL if the limit is reached. */
struct tube *queue_tube(struct queue *queue, const char *name);
/* True if the changes should be committed before there are more. */
bool queue_commit_is_full(const struct queue *queue);
/* True if the disk of the store is full. */
bool queue_disk_is_full(const struct queue *queue);
/* The size of the jobs in the store. */
uint64_t queue_bytes(const struct queue *queue);
/* Return: the id of the new job, or 0 if a limit is reached. */
uint64_t queue_put(struct queue *queue, struct tube *tube,
		   struct queue_job *put, const void *body);
/* Return: the id of the job with this key, or 0. */
uint64_t queue_find_key(struct queue *queue, const struct tube *tube,
			const char *key);
/* Read the body of a job. Return: false if it is damaged. */
bool queue_body(struct queue *queue, const struct job_record *rec, void *body);
/* Reserve the first ready job of the watched tubes. Return: NULL if none is ready. */
struct job *queue_reserve(struct queue *queue, struct worker *worker);
/* Reserve the job with this id. */
struct job *queue_reserve_id(struct queue *queue, struct worker *worker,
			     uint64_t id);
/* Reserve a job for a waiting worker. Return: the worker, or NULL if no more can be reserved. */
struct worker *queue_process(struct queue *queue, struct job **job);
/* Return: false if queue_process() would return NULL. */
bool queue_can_process(const struct queue *queue);
/* Return: false if the job does not exist or if another worker has reserved it. */
bool queue_delete(struct queue *queue, struct worker *worker, uint64_t id);
/* These return false if the worker has not reserved the job. */
bool queue_release(struct queue *queue, struct worker *worker, uint64_t id,
		   uint32_t pri, uint64_t delay);
bool queue_bury(struct queue *queue, struct worker *worker, uint64_t id,
		uint32_t pri);
bool queue_touch(struct queue *queue, struct worker *worker, uint64_t id);
/* The connection was closed: make the worker's jobs ready. */
void queue_abandon(struct queue *queue, struct worker *worker);
/* Return: the number of jobs that became ready. */
uint64_t queue_kick(struct queue *queue, struct tube *tube, uint64_t bound);
bool queue_kick_job(struct queue *queue, uint64_t id);
/*
 * Read at most @most jobs of a tube and a state from the cursor on, and advance it. Fewer are read
 * if other jobs are in between. JOB_DELAYED includes JOB_TIMED. Jobs whose state changes in the
 * meantime may be left out or read twice.
 */
size_t queue_list(struct queue *queue, const struct tube *tube, enum job_state state,
		  struct queue_cursor *cursor, struct job_record *recs, size_t most);
/* Delete jobs that are not reserved. Return: their number. */
uint64_t queue_clear(struct queue *queue, const struct tube *tube, enum job_state state,
		     uint64_t bound);
/* Store a batch of reservations that are not stored. */
void queue_save_reservations(struct queue *queue);
/* A delayed job is due, or the TTR of a reserved job has expired. */
void queue_job_expired(struct timer *timer);
void queue_pause(struct queue *queue, struct tube *tube, uint64_t ms);
/* Limit the number of reserved jobs, and the reservations in 1000 seconds; 0: no limit. */
void queue_limit(struct queue *queue, struct tube *tube, uint64_t reserved, uint64_t rate);

/* Read a job: by its id, or the first one of a tube and a state. */
bool queue_peek(struct queue *queue, uint64_t id, struct job_record *rec);
bool queue_peek_first(struct queue *queue, struct tube *tube,
		      enum job_state state, struct job_record *rec);
/* Return: ms until a delayed job is ready, or until the TTR of a reserved job expires. */
uint64_t queue_time_left(struct queue *queue, const struct job_record *rec);

#endif
