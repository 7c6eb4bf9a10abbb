/* SPDX-License-Identifier: MIT */
/*
 * Tubes: named queues of jobs. A tube exists while it has a job, or while a client uses or watches
 * it.
 */
#ifndef TUBE_H
#define TUBE_H

#include "histogram.h"
#include "job.h"

#define TUBE_NAME_MAX	200
/* The longest put-key with such a key fits into a line. */
#define JOB_KEY_MAX	128

struct watch;

/**
 * struct on_disk - the first job of a tube and a state that is not in memory
 * @node: node in the heap of its state
 * @key: position of the job; JOB_KEY_LAST: no such job exists, and @node is not in the heap
 */
struct on_disk {
	struct heap_node node;
	struct job_key key;
};

/**
 * struct tube - a tube
 * @all: node in the list of all tubes
 * @changed: node in the list of tubes whose counts must be stored
 * @with_uncounted: node in the list of tubes with jobs that the store's counts do not include
 * @pending: node in the list of tubes that may have a ready job for a waiting worker
 * @waiting: workers that wait for a job, longest first
 * @number: identifies the tube in the store
 * @name: identifies the tube to clients
 * @tubes: all tubes
 * @entry: node in the table by number
 * @has_changed: true if @changed is in its list
 * @has_uncounted: true if @with_uncounted is in its list
 * @is_pending: true if @pending is in its list
 * @stays: true if the tube exists without jobs and clients
 * @is_stored: true if the store has the tube
 * @turn: see struct store_tube
 * @ready: ready jobs in memory, in order
 * @first: first of @ready, or NULL
 * @on_disk: by state, the jobs that are not in memory
 * @jobs: by state, the number of jobs
 * @stored: by state, the number of jobs in the store
 * @uncounted: by state, the number of these that the store's counts do not include
 * @urgent: number of ready jobs in memory with a priority below 1024
 * @waiters: number of waiting workers
 * @users: number of connections that use the tube
 * @watchers: number of workers that watch the tube
 * @pause: ms, as last requested
 * @paused_until: ms of the queue's clock; no job is reserved before; 0: not paused
 * @unpause: expires at @paused_until, or at @next_reserve if a reservation was delayed
 * @max_reserved: limit on the number of reserved jobs, 0: none
 * @max_rate: limit on the reservations in 1000 seconds, 0: none
 * @next_reserve: ns of the queue's clock; @max_rate permits no reservation before
 * @total: number of jobs put
 * @deletes: number of jobs deleted
 * @lateness: time from when jobs were due until they were ready
 * @pauses: number of times that the tube was paused
 */
struct tube {
	TAILQ_ENTRY(tube) all;
	TAILQ_ENTRY(tube) changed;
	TAILQ_ENTRY(tube) with_uncounted;
	TAILQ_ENTRY(tube) pending;
	TAILQ_HEAD(, watch) waiting;
	uint64_t number;
	char name[TUBE_NAME_MAX + 1];
	struct tubes *tubes;
	struct table_entry entry;
	bool has_changed;
	bool has_uncounted;
	bool is_pending;
	bool stays;
	bool is_stored;
	uint64_t turn;
	struct heap ready;
	struct job *first;
	struct on_disk on_disk[JOB_STATES];
	uint64_t jobs[JOB_STATES];
	uint64_t stored[JOB_STATES];
	uint64_t uncounted[JOB_STATES];
	uint64_t urgent;
	uint64_t waiters;
	uint64_t users;
	uint64_t watchers;
	uint64_t pause;
	uint64_t paused_until;
	struct timer unpause;
	uint64_t max_reserved;
	uint64_t max_rate;
	uint64_t next_reserve;
	uint64_t total;
	uint64_t deletes;
	struct histogram lateness;
	uint64_t pauses;
};

TAILQ_HEAD(tube_list, tube);

/**
 * struct tubes - all tubes
 * @list: in the order of their creation
 * @by_name: tree of tsearch(3)
 * @by_number: table
 * @changed: tubes whose counts must be stored
 * @with_uncounted: tubes with jobs that the store's counts do not include
 * @pending: tubes that may have a ready job for a waiting worker
 * @count: number of tubes
 * @next: number of the next tube
 * @counted: the store's counts do not include jobs with this id or a higher one
 * @lateness: time from when jobs were due until they were ready
 * @jobs: by state, the number of jobs
 * @loaded: by state, the number of jobs in memory
 * @on_disk: by state, the tubes with jobs that are not in memory, earliest first
 * @latest: by state, the jobs in memory that may be evicted, last one first
 */
struct tubes {
	struct tube_list list;
	void *by_name;
	struct table by_number;
	struct tube_list changed;
	struct tube_list with_uncounted;
	struct tube_list pending;
	uint64_t count;
	uint64_t next;
	uint64_t counted;
	struct histogram lateness;
	uint64_t jobs[JOB_STATES];
	uint64_t loaded[JOB_STATES];
	struct heap on_disk[JOB_STATES];
	struct heap latest[JOB_STATES];
};

void tubes_init(struct tubes *tubes);
void tubes_clear(struct tubes *tubes);

bool tube_name_is_good(const char *name);
/* A key has the characters of a tube's name. */
bool job_key_is_good(const char *key);
struct tube *tube_find(struct tubes *tubes, const char *name);
struct tube *tube_numbered(const struct tubes *tubes, uint64_t number);
/* @number: identifies it in the store; 0: use the next number. */
struct tube *tube_make(struct tubes *tubes, const char *name, uint64_t number);
void tube_set_on_disk(struct tube *tube, enum job_state state, struct job_key key);
/* The tube whose jobs of this state must be loaded first, or NULL. */
struct tube *tubes_first_on_disk(const struct tubes *tubes, enum job_state state);
/* Free the tube if it is no longer in use. */
void tube_drop(struct tube *tube);

/* Add @more to the number of jobs of a state. */
void tube_count(struct tube *tube, enum job_state state, int64_t more);
/* A job has another state in the store. */
void tube_count_stored(struct tube *tube, uint64_t id, enum job_state from,
		       enum job_state to);
/* Add @more to the number of stored jobs that the store's counts do not include. */
void tube_count_uncounted(struct tube *tube, enum job_state state, int64_t more);
/* The store's counts include all jobs with an id below @id. */
void tubes_count_until(struct tubes *tubes, uint64_t id);
uint64_t tube_jobs(const uint64_t *jobs);
/* The tube may have a ready job for a waiting worker. */
void tube_add_pending(struct tube *tube);
/* Return: true if @max_reserved jobs of the tube are reserved. */
bool tube_is_at_limit(const struct tube *tube);
/* A job is reserved at @now (ms). */
void tube_count_reserve(struct tube *tube, uint64_t now);

/*
 * Add a job in memory to a tube, remove it, or change its state. The counts and the order of the
 * tube are updated. The caller updates timers and the store.
 */
void tube_add_job(struct job *job, struct tube *tube, enum job_state state);
void tube_remove_job(struct job *job);
void tube_move_job(struct job *job, enum job_state state);

/* A job becomes ready, @late ms after it was due. */
void tube_count_late(struct tube *tube, uint64_t late);
/* When the oldest of a tube's ready jobs in memory was due (ms), or @now if there is none. */
uint64_t tube_oldest_due(const struct tube *tube, uint64_t now);
/* The first of a tube's ready jobs in memory, or NULL. */
struct job *tube_first_ready(const struct tube *tube);
/*
 * The last delayed or ready job in memory, of all tubes, or NULL. The first ready job of each
 * tube is excepted, so that one tube cannot keep the jobs of another out of memory.
 */
struct job *tubes_latest(const struct tubes *tubes, enum job_state state);

#endif
