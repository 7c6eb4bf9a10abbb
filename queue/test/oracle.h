/* SPDX-License-Identifier: MIT */
/*
 * The reference model of a queue, as simple as possible: an array, and loops over it.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "queue.h"

#define ORACLE_JOBS	4000
#define ORACLE_TUBES	3
#define ORACLE_WORKERS	3
#define NOBODY		(-1)

/**
 * struct oracle_job - a job
 * @id: its id; 0 if it was deleted
 * @tube: 0 .. ORACLE_TUBES - 1
 * @state: its state
 * @pri: its priority
 * @due: due time in ms
 * @ttr: time to run in ms
 * @buried: value of @buries when it was buried
 * @worker: the worker that has reserved it, or NOBODY
 * @key: number of its key; 0: none
 * @deadline_at: end of its time to run, in ms
 */
struct oracle_job {
	uint64_t id;
	int tube;
	enum job_state state;
	uint32_t pri;
	uint64_t due;
	uint64_t ttr;
	uint64_t buried;
	int worker;
	int key;
	uint64_t deadline_at;
};

/**
 * struct oracle - the model
 * @now: current time in ms
 * @jobs: jobs in the order of their puts, including deleted ones
 * @count: number of elements of @jobs
 * @buries: number of buries
 */
struct oracle {
	uint64_t now;
	struct oracle_job jobs[ORACLE_JOBS];
	int count;
	uint64_t buries;
};

struct oracle_job *oracle_put(struct oracle *o, uint64_t id, int tube,
			      const struct queue_job *put);
/* The job of a tube with this key, or NULL. */
struct oracle_job *oracle_find_key(struct oracle *o, int tube, int key);
struct oracle_job *oracle_find(struct oracle *o, uint64_t id);
/* The first job of a tube and state, or NULL. */
struct oracle_job *oracle_first(struct oracle *o, int tube,
				enum job_state state);
uint64_t oracle_count(const struct oracle *o, int tube, enum job_state state);
void oracle_lease(struct oracle *o, struct oracle_job *job, int worker);
void oracle_advance(struct oracle *o, uint64_t ms);
uint64_t oracle_kick(struct oracle *o, int tube, uint64_t bound);
/* Make all reserved jobs ready. */
void oracle_crash(struct oracle *o);

#endif
