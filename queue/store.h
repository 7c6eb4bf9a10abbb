/* SPDX-License-Identifier: MIT */
/*
 * A store: all jobs, the counts of each tube, and some values of the whole queue. A commit makes
 * all changes since the previous one durable, or none.
 *
 * If an operation fails, the store prints an error and exits, so no operation returns one. If the
 * store can be opened again, it sets @is_lost instead.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job.h"

/**
 * struct store_numbers - values of the whole queue
 * @next_id: no job has had this id or a higher one
 * @counted: the counts of tubes do not include jobs with this id or a higher one
 * @skew: ns that the queue's clock is ahead of the wall clock
 * @clock: ms, last stored time of the queue's clock, which never goes back
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
 * struct store_tube - the stored part of a tube
 * @number: identifies the tube
 * @name: its name
 * @jobs: by state, the number of jobs with an id below @counted
 * @turn: where PostgreSQL finds the row, 0: not stored
 * @is_gone: true if it has no jobs
 */
struct store_tube {
	uint64_t number;
	uint64_t turn;
	const char *name;
	bool is_gone;
	uint64_t jobs[JOB_STATES];
};

/**
 * struct store_limit - the limits of a tube, 0: none
 * @name: its name
 * @reserved: number of jobs that are reserved at the same time
 * @rate: reservations in 1000 seconds
 */
struct store_limit {
	const char *name;
	uint64_t reserved;
	uint64_t rate;
};

struct store;

/**
 * struct store_ops - operations of a store
 * @close: close it without a commit
 * @numbers: read the values of the whole queue
 * @set_numbers: write them
 * @tubes: call @found for each tube
 * @set_tube: write a tube, or remove it if it has no jobs; may change its @turn
 * @count: call @found for each tube and state that has jobs with this id or a higher one
 * @limits: call @found for each tube that has limits
 * @set_limit: write or remove the limits of a tube
 * @put: add a job
 * @change: update all values of a job except its size
 * @remove: delete a job
 * @set_key: set the key of a job, which no other job of its tube has; NULL: remove it
 * @find_key: return the id of the job of a tube with this key, 0 if it does not exist
 * @get: read a job; return false if it does not exist
 * @body: read the body of a job; return false if its checksum does not match
 * @has_body: true if @body does not have to wait; NULL: always
 * @read_ahead: read the bodies of these jobs, for @body
 * @scan: read at most @count jobs of a tube and a state, from a position on; return their number
 * @begin: prepare for a change, which is then faster; NULL: nothing to prepare
 * @commit: make all changes durable, and verify that no other server has taken over
 * @bytes: the size of its jobs, without deleted ones
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
	void (*set_tube)(struct store *store, struct store_tube *tube);
	void (*count)(struct store *store, uint64_t id, void *context,
		      void (*found)(void *context, uint64_t tube,
				    enum job_state state, uint64_t jobs));
	void (*limits)(struct store *store, void *context,
		       void (*found)(void *context,
				     const struct store_limit *limit));
	void (*set_limit)(struct store *store, const struct store_limit *limit);
	void (*put)(struct store *store, const struct job_record *rec,
		    const void *body);
	void (*change)(struct store *store, const struct job_record *rec);
	void (*remove)(struct store *store, const struct job_record *rec);
	void (*set_key)(struct store *store, uint64_t id, const char *key);
	uint64_t (*find_key)(struct store *store, uint64_t tube,
			     const char *key);
	bool (*get)(struct store *store, uint64_t id, struct job_record *rec);
	bool (*body)(struct store *store, uint64_t id, void *body, size_t size);
	bool (*has_body)(struct store *store, uint64_t id);
	void (*read_ahead)(struct store *store, const uint64_t *ids, size_t count);
	size_t (*scan)(struct store *store, uint64_t tube, enum job_state state,
		       const struct job_key *from, struct job_record *recs,
		       size_t count);
	void (*begin)(struct store *store);
	void (*commit)(struct store *store);
	uint64_t (*bytes)(struct store *store);
	bool (*has_room)(struct store *store, size_t bytes);
	bool (*is_full)(struct store *store);
};

/**
 * struct store - an open store
 * @ops: its operations
 * @batch: bytes of changes for one commit, approximately; 0: no limit
 * @uncommitted: bytes of changes since the last commit, approximately
 * @must_commit: true if a client waits for a commit
 * @reopen: open another one in place of a lost one, which is still used; may wait, in another
 *	thread; NULL: not possible
 * @can_be_lost: false if an operation must exit if the store is unreachable
 * @is_lost: true if it was: since then, operations have no effect and find nothing
 * @epoch: number of times that a server has taken it over; 0: no server can
 * @lease: ms after a commit began in which no other server takes it over; 0: no server can
 */
struct store {
	const struct store_ops *ops;
	struct store *(*reopen)(struct store *lost);
	bool can_be_lost;
	bool is_lost;
	uint64_t epoch;
	uint64_t lease;
	uint64_t batch;
	uint64_t uncommitted;
	bool must_commit;
};

#define STORE_OTHER_VERSION \
	"the store version is %lld, which is not that of this wheelq (%d)"
#define STORE_STRING(x)	#x
#define STORE_TEXT(x)	STORE_STRING(x)

/* Pages that a change of a job writes: of the table, of the index, and above them. */
#define STORE_CHANGE_BYTES	4096

/* Count a change of a job with a body of @bytes, which is part of the next commit. */
static inline void store_count_change(struct store *store, size_t bytes)
{
	store->uncommitted += STORE_CHANGE_BYTES + bytes;
}

/* An SQLite file, which is created if it does not exist. */
struct store *sqlite_open(const char *path);
/**
 * struct store_shard - a part of a PostgreSQL database; see shards.h
 * @number: its number
 * @first_id: id of its first job
 * @address: where this process serves it
 * @port: the port of the whole server
 */
struct store_shard {
	unsigned int number;
	uint64_t first_id;
	const char *address;
	const char *port;
};

/*
 * A PostgreSQL database, or one shard of it. Waits while another server holds it, and responds to
 * HTTP on @http_fd meanwhile; -1: no listener.
 */
struct store *postgres_open(const char *uri, int http_fd, const struct store_shard *shard);

#endif
