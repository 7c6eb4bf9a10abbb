/* SPDX-License-Identifier: MIT */
/*
 * What survives. A store holds every job, each tube's counts, and a few numbers of
 * the whole. Changes are made between two commits, and a commit makes all of them
 * durable or none.
 *
 * What fails in a store has been said on stderr and ends the service there: a
 * queue that cannot keep a promise makes no more of them. So no verb returns an
 * error.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job.h"

/**
 * struct store_numbers - of the whole queue
 * @next_id: no job has had this number or a higher one
 * @counted: the tubes' counts leave out the jobs with this number or a higher one
 * @skew: ns that the queue's clock is ahead of the wall clock
 * @clock: ms, what the queue's clock showed last; it never goes back
 * @boot: identifies the boot of the machine; 0 if it is not stored
 * @ahead: ns that the queue's clock is ahead of CLOCK_BOOTTIME; valid only in @boot
 */
struct store_numbers {
	uint64_t next_id;
	uint64_t counted;
	int64_t skew;
	uint64_t clock;
	uint64_t boot;
	int64_t ahead;
};

/**
 * struct store_tube - what is stored of a tube
 * @number: of the tube
 * @name: of the tube
 * @jobs: of each state, how many there are of those that are counted
 * @is_gone: it has no jobs, counted or not
 */
struct store_tube {
	uint64_t number;
	const char *name;
	bool is_gone;
	uint64_t jobs[JOB_STATES];
};

struct store;

/**
 * struct store_ops - what a store can do
 * @close: without a commit
 * @numbers: read them
 * @set_numbers: write them
 * @tubes: call @found for each tube
 * @set_tube: write a tube; one that is gone is forgotten
 * @count: call @found for each tube and state that has jobs with this number or a
 *	higher one
 * @put: a new job
 * @change: all of a record but for its size
 * @remove: a job, for ever
 * @set_key: set the key of a job, which no other job of its tube has; NULL: remove it
 * @find_key: return the id of the job of a tube with this key, 0 if there is none
 * @get: read a record; is it there?
 * @body: read a body, which has the size that its record says; false if its checksum does
 *	not match
 * @scan: read the records of a tube and a state from a place on, at most @count;
 *	how many they are
 * @commit: what was changed is durable when this returns, and this server has the
 *	store still
 * @bytes: that its jobs take by now; what was deleted takes none
 * @has_room: true if a job of this size can be stored; NULL: always
 * @is_full: true if the disk is full; NULL: never
 */
struct store_ops {
	void (*close)(struct store *store);
	void (*numbers)(struct store *store, struct store_numbers *numbers);
	void (*set_numbers)(struct store *store,
			    const struct store_numbers *numbers);
	void (*tubes)(struct store *store, void *context,
		      void (*found)(void *context,
				    const struct store_tube *tube));
	void (*set_tube)(struct store *store, const struct store_tube *tube);
	void (*count)(struct store *store, uint64_t id, void *context,
		      void (*found)(void *context, uint64_t tube,
				    enum job_state state, uint64_t jobs));
	void (*put)(struct store *store, const struct job_record *rec,
		    const void *body);
	void (*change)(struct store *store, const struct job_record *rec);
	void (*remove)(struct store *store, const struct job_record *rec);
	void (*set_key)(struct store *store, uint64_t id, const char *key);
	uint64_t (*find_key)(struct store *store, uint64_t tube,
			     const char *key);
	bool (*get)(struct store *store, uint64_t id, struct job_record *rec);
	bool (*body)(struct store *store, uint64_t id, void *body, size_t size);
	size_t (*scan)(struct store *store, uint64_t tube, enum job_state state,
		       const struct job_key *from, struct job_record *recs,
		       size_t count);
	void (*commit)(struct store *store);
	uint64_t (*bytes)(struct store *store);
	bool (*has_room)(struct store *store, size_t bytes);
	bool (*is_full)(struct store *store);
};

/**
 * struct store - a store that is open
 * @verbs: what it can do
 * @batch: bytes of changes for one commit, approximately; 0: no limit
 * @lease: ms after a commit for which no other server takes it over, 0: none can
 */
struct store {
	const struct store_ops *ops;
	uint64_t lease;
	uint64_t batch;
};

/* A file, or the URI of a database. */
struct store *store_open(const char *name);
/* In a file of SQLite, made if it is not there. */
struct store *sqlite_open(const char *path);
/* In a database of PostgreSQL; waits while another server has it. */
struct store *postgres_open(const char *uri);

#endif
