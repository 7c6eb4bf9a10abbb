/* SPDX-License-Identifier: MIT */
/*
 * A job and its life:
 *
 *	put -> DELAYED or TIMED -> READY -> RESERVED -> deleted
 *	                            ^  ^        |
 *	                            |  +--------+  released, or its lease is over
 *	                          BURIED <------+
 *
 * The part of a queue that is in memory: jobs by id, the ready ones of each tube
 * in order. Nothing here reads a clock, stores anything or waits.
 */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "heap.h"
#include "timers.h"
#include "table.h"

/**
 * enum job_state - as it is stored, so a number never changes its meaning
 * @JOB_NONE: not there
 * @JOB_DELAYED: waits until so much time has passed
 * @JOB_TIMED: waits until the wall clock shows a time
 * @JOB_READY: may be taken
 * @JOB_RESERVED: somebody has it, on a lease
 * @JOB_BURIED: put aside until it is kicked
 * @JOB_STATES: how many there are
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

/* By which it becomes due. */
static inline enum timer_clock job_clock(enum job_state state)
{
	return state == JOB_TIMED ? CLOCK_WALL : CLOCK_QUEUE;
}

/**
 * struct job_key - a job's place among those of its tube and state
 * @rank: a ready job's priority; when a buried one was buried; else 0
 * @due: when it is or was due
 * @id: of the job
 */
struct job_key {
	uint64_t rank;
	uint64_t due;
	uint64_t id;
};

#define JOB_KEY_FIRST	((struct job_key){ 0, 0, 0 })
#define JOB_KEY_LAST	((struct job_key){ UINT64_MAX, UINT64_MAX, UINT64_MAX })

/**
 * struct job_record - what is stored of a job, beside its body
 * @id: never given to another
 * @tube: number of its tube
 * @state: one of enum job_state
 * @rank: see struct job_key
 * @due: ms, of the queue's clock, or of the wall clock for what is put at a time
 * @created: ms, of the queue's clock
 * @delay: ms, as asked for last
 * @ttr: ms that a lease lasts
 * @pri: the smaller, the sooner
 * @size: bytes of its body
 * @reserves: how often it was taken
 * @timeouts: how often its lease ran out, or ended by a crash
 * @releases: how often it was given back
 * @buries: how often it was buried
 * @kicks: how often it was kicked
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

struct tube;
struct tubes;
struct worker;

/**
 * struct job - a job in memory
 * @lease: its place among the jobs of @worker
 * @unsaved: its place among the leases that the store has not heard of
 * @rec: what is stored of it, or will be
 * @stored: the state in which the store has it, JOB_NONE: not yet
 * @is_dirty: of what the store has; what no answer waits for is written later
 * @tube: it belongs to
 * @heap: its place among the ready ones
 * @latest: node in the heap of jobs that may be evicted
 * @entry: its place among all
 * @alarm: rings when it is due, or when its lease is over
 * @is_unsaved: it is among these
 * @worker: has it, if it is reserved
 * @deadline_at: ms, of the queue's clock, when it is taken from @worker
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

/* Is a before b? */
bool job_key_before(const struct job_key *a, const struct job_key *b);
struct job_key job_key(const struct job_record *rec);

#endif
