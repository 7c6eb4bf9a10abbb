/* SPDX-License-Identifier: MIT */
/*
 * Tubes: named queues of jobs. A tube is there while it has a job, or somebody
 * uses or watches it.
 */
#ifndef TUBE_H
#define TUBE_H

#include "job.h"

#define TUBE_NAME_MAX	200
/* The longest put-key with such a key fits into a line. */
#define JOB_KEY_MAX	128

struct watch;

/**
 * struct on_disk - where jobs of a tube and a state begin that are in the store alone
 * @node: among those of the state, of all tubes
 * @key: the first such place; JOB_KEY_LAST: there is none, and it is not among them
 */
struct on_disk {
	struct heap_node node;
	struct job_key key;
};

/**
 * struct tube - a tube
 * @all: its place among them
 * @changed: its place among those of which the store has other counts
 * @partly: its place among those of which the store's counts leave out jobs
 * @hot: its place among those that may have a job for who waits
 * @waiting: who waits for a job of it, longest first
 * @number: by which the store knows it
 * @name: by which clients know it
 * @tubes: all tubes
 * @entry: the same, by number
 * @has_changed: it is there
 * @has_uncounted: it is there
 * @is_pending: it is there
 * @stays: it is there without jobs, too, and when nobody uses or watches it
 * @is_stored: the store knows it
 * @ready: its ready jobs in memory, in order
 * @first: first of @ready, or NULL
 * @far: of each state, what is in the store alone
 * @jobs: of each state, how many there are
 * @stored: the same, as the store has them
 * @uncounted: those of them that the store's counts leave out
 * @urgent: ready jobs in memory with a priority below 1024
 * @waiters: how many they are
 * @users: connections that put into it
 * @watchers: workers that take from it
 * @pause: ms, as asked for last
 * @paused_until: ms, of the queue's clock; no job is taken from it before
 * @unpause: rings then
 * @total: jobs put
 * @deletes: jobs deleted
 * @pauses: how often it was paused
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
	uint64_t total;
	uint64_t deletes;
	uint64_t pauses;
};

TAILQ_HEAD(tube_list, tube);

/**
 * struct tubes - all of them
 * @list: as they were created
 * @by_name: a tree of tsearch(3)
 * @by_number: the same tubes
 * @changed: of these the store has other counts
 * @partly: of these the store's counts leave out jobs
 * @hot: these may have a job for who waits
 * @count: how many there are
 * @next: the next tube's number
 * @counted: the store's counts leave out the jobs with this number or a higher one
 * @jobs: of each state, how many jobs there are in all tubes
 * @loaded: of each state, how many jobs are in memory
 * @far: of each state, the tubes that have jobs in the store alone, nearest first
 * @latest: of each state, jobs in memory that may be evicted, last one first
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
/* @number: 0: the next one. */
struct tube *tube_make(struct tubes *tubes, const char *name, uint64_t number);
void tube_set_on_disk(struct tube *tube, enum job_state state, struct job_key key);
/* The tube of which jobs of this state are to be loaded first, or NULL. */
struct tube *tubes_first_on_disk(const struct tubes *tubes, enum job_state state);
/* Free it if nothing needs it any more. */
void tube_drop(struct tube *tube);

/* More or fewer jobs of a state. */
void tube_count(struct tube *tube, enum job_state state, int64_t more);
/* A job has another state in the store. */
void tube_count_stored(struct tube *tube, uint64_t id, enum job_state from,
		       enum job_state to);
/* So many jobs more that the store has and its counts leave out. */
void tube_count_uncounted(struct tube *tube, enum job_state state, int64_t more);
/* From now on the store's counts leave out only jobs from a number on. */
void tubes_count_until(struct tubes *tubes, uint64_t id);
uint64_t tube_jobs(const uint64_t *jobs);
/* It may have a job for who waits. */
void tube_add_pending(struct tube *tube);

/*
 * Add a job in memory to a tube, remove it, or change its state. The counts and the order of the
 * tube are updated. The caller updates timers and the store.
 */
void tube_add_job(struct job *job, struct tube *tube, enum job_state state);
void tube_remove_job(struct job *job);
void tube_move_job(struct job *job, enum job_state state);

/* The first of a tube's ready jobs in memory, or NULL. */
struct job *tube_first_ready(const struct tube *tube);
/*
 * The last delayed or ready job in memory, of all tubes, or NULL. The first ready job of each
 * tube is excepted, so that one tube cannot keep the jobs of another out of memory.
 */
struct job *tubes_latest(const struct tubes *tubes, enum job_state state);

#endif
