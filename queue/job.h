/* SPDX-License-Identifier: MIT */
/*
 * The states of a job:
 *
 *	put -> DELAYED or TIMED -> READY -> RESERVED -> deleted
 *	                            ^  ^        |
 *	                            |  +--------+  released, or its TTR expired
 *	                          BURIED <------+
 *
 * This part of a queue is in memory. It reads no clock, stores nothing and does not wait.
 */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "collections.h"
#include "timers.h"

/**
 * enum job_state - states, as they are stored; a number never changes its meaning
 * @JOB_NONE: does not exist
 * @JOB_DELAYED: becomes ready when its delay has elapsed
 * @JOB_TIMED: becomes ready at a time of the wall clock
 * @JOB_READY: can be reserved
 * @JOB_RESERVED: a worker has reserved it
 * @JOB_BURIED: set aside until it is kicked
 * @JOB_STATES: number of states
 */
enum job_state {
	JOB_NONE,
	JOB_DELAYED,
	JOB_TIMED,
	JOB_READY,
	JOB_RESERVED,
	JOB_BURIED,
	JOB_STATES,
};

/* The name of a state to clients. */
const char *job_state_name(enum job_state state);

/* The clock of a job's due time. */
static inline enum timer_clock job_clock(enum job_state state)
{
	return state == JOB_TIMED ? CLOCK_WALL : CLOCK_QUEUE;
}

/**
 * struct job_key - position of a job among those of its tube and state
 * @rank: a ready job's priority; when a buried one was buried; else 0
 * @due: time at which it is or was due
 * @id: its id
 */
struct job_key {
	uint64_t rank;
	uint64_t due;
	uint64_t id;
};

#define JOB_KEY_FIRST	((struct job_key){ 0, 0, 0 })
#define JOB_KEY_LAST	((struct job_key){ UINT64_MAX, UINT64_MAX, UINT64_MAX })

/* Is a before b? */
static inline bool job_key_before(const struct job_key *a, const struct job_key *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->due != b->due)
		return a->due < b->due;
	return a->id < b->id;
}

/**
 * struct job_record - the stored part of a job, except its body
 * @id: unique
 * @tube: number of its tube
 * @state: one of enum job_state
 * @rank: see struct job_key
 * @due: ms of the queue's clock, or of the wall clock after put-at
 * @created: ms of the queue's clock
 * @delay: ms, as last requested
 * @ttr: time-to-run, ms
 * @pri: priority; jobs with a smaller value are reserved first
 * @size: size of its body
 * @reserves: number of times that it was reserved
 * @timeouts: number of times that its TTR expired or that a crash ended its reservation
 * @releases: number of times that it was released
 * @buries: number of times that it was buried
 * @kicks: number of times that it was kicked
 */
struct job_record {
	uint64_t id;
	uint64_t tube;
	uint32_t state;
	uint64_t rank;
	uint64_t due;
	uint64_t created;
	uint64_t delay;
	uint64_t ttr;
	uint32_t pri;
	uint32_t size;
	uint32_t reserves;
	uint32_t timeouts;
	uint32_t releases;
	uint32_t buries;
	uint32_t kicks;
};

static inline struct job_key job_key(const struct job_record *rec)
{
	return (struct job_key){ rec->rank, rec->due, rec->id };
}

struct tube;
struct tubes;
struct worker;

/**
 * struct job - a job in memory
 * @reserved: node in the list of jobs that @worker has reserved
 * @unsaved: node in the list of jobs whose reservation is not in the store
 * @rec: the job, as it is or will be stored
 * @stored: its state in the store, JOB_NONE: not stored
 * @is_dirty: true if @rec is newer than the store; no client waits for it
 * @tube: its tube
 * @heap: node in the heap of ready jobs
 * @latest: node in the heap of jobs that may be evicted
 * @entry: node in the table by id
 * @timer: expires when the job is due, or when its TTR ends
 * @is_unsaved: true if @unsaved is in its list
 * @worker: the worker that has reserved it, or NULL
 * @deadline_at: ms of the queue's clock; end of the TTR of a reserved job
 */
struct job {
	LIST_ENTRY(job) reserved;
	TAILQ_ENTRY(job) unsaved;
	struct job_record rec;
	uint32_t stored;
	bool is_dirty;
	struct tube *tube;
	struct heap_node heap;
	struct heap_node latest;
	struct table_entry entry;
	struct timer timer;
	bool is_unsaved;
	struct worker *worker;
	uint64_t deadline_at;
};

#endif
