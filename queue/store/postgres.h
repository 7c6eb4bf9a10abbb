/* SPDX-License-Identifier: MIT */
/*
 * Internal declarations of the store in PostgreSQL.
 *
 * One server holds the store and serves it, others are on standby. A server that was paused may not
 * have detected that another one has taken over. It does no harm for two reasons:
 *
 * - The session of the serving server holds an advisory lock. Other servers terminate a session
 *   that has sent nothing for some time, which rolls back its open transaction.
 * - Each transaction names the epoch, which each takeover increments. It fails if the epoch has
 *   changed.
 *
 * While a snapshot is open, for example of pg_dump, PostgreSQL keeps all versions of a row. A row
 * that each commit updates would then take longer and longer to find. Therefore no commit updates
 * the epoch, and a row that many commits update is found by its turn, which each update changes.
 */
#ifndef POSTGRES_H
#define POSTGRES_H

#include <libpq-fe.h>

#include "bodies.h"
#include "store.h"

/* Time after which another server takes over from a silent one, in ms. */
#define POSTGRES_LEASE_MS	3000
/* The same in seconds, for libpq. */
#define POSTGRES_LEASE_S	3

/* "wlq": the class of wheelq's advisory locks; the object identifies the schema. */
#define POSTGRES_LOCK_CLASS	"7826545"

/* In SQL: the sessions that hold these locks in this database; a condition may follow. */
#define POSTGRES_HOLDERS \
	"pg_locks l JOIN pg_stat_activity a USING(pid)\n" \
	"WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2\n" \
	"AND l.classid = " POSTGRES_LOCK_CLASS "\n" \
	"AND l.database = a.datid AND a.datname = current_database()"
/*
 * In SQL: terminate those of them that PostgreSQL has waited for since their last statement. It
 * does not wait for a session whose statement is slow. The sessions of other roles are not visible.
 */
#define POSTGRES_END_SILENT \
	"SELECT pg_terminate_backend(pid) FROM " POSTGRES_HOLDERS "\n" \
	"AND a.wait_event_type = 'Client' AND a.state_change < clock_timestamp()\n" \
	"- interval '" STORE_TEXT(POSTGRES_LEASE_MS) " ms'"

/* Limit on the number of jobs that one statement deletes. */
#define POSTGRES_REMOVED	256
/* Size of a job without its body: a row, and entries of indexes. */
#define POSTGRES_JOB_BYTES	256
/* In SQL: size of a job. */
#define POSTGRES_JOB_SIZE	STORE_TEXT(POSTGRES_JOB_BYTES) " + length(body)"

enum postgres_statement {
	PG_PUT, PG_CHANGE, PG_REMOVE, PG_SET_KEY, PG_DROP_KEY, PG_FIND_KEY,
	PG_GET, PG_BODY, PG_BODIES, PG_SCAN, PG_NUMBERS,
	PG_SET_NUMBERS, PG_LIMITS, PG_SET_LIMIT, PG_DROP_LIMIT, PG_TUBES,
	PG_ADD_TUBE, PG_SET_TUBE, PG_FORGET_TUBE, PG_COUNT, PG_SIZE, PG_SET_SIZE,
	PG_FENCE, PG_STILL_OURS, PG_BEGIN, PG_COMMIT, PG_STATEMENTS,
};

/**
 * struct postgres - a session
 * @store: the public part
 * @uri: identifies the database
 * @shard: the shard, or NULL
 * @http_fd: listener for HTTP while the server is on standby, or -1
 * @db: the connection, in pipeline mode once it is open; it never blocks
 * @bytes: size of the jobs
 * @counted: jobs with this id or a higher one are not part of @size
 * @size: size of the jobs with a lower id
 * @is_resized: true if @size must be stored
 * @turn: highest turn of a row
 * @size_turn: turn of the row with @size
 * @bodies: those of jobs that will probably be reserved soon
 * @removed: ids of jobs that the next statement deletes
 * @removed_count: number of these
 * @pending: number of statements whose result was not read
 * @is_open: true if a transaction is open
 * @back_off: ms until the next attempt to connect; 0 while there is a connection
 */
struct postgres {
	struct store store;
	const char *uri;
	const struct store_shard *shard;
	int http_fd;
	PGconn *db;
	uint64_t bytes;
	uint64_t counted;
	uint64_t size;
	bool is_resized;
	uint64_t turn;
	uint64_t size_turn;
	struct bodies bodies;
	uint64_t removed[POSTGRES_REMOVED];
	size_t removed_count;
	unsigned int pending;
	bool is_open;
	unsigned int back_off;
};

extern const struct store_ops postgres_ops;
extern const char *const postgres_statements[PG_STATEMENTS];

/* The connection was lost: all that follows has no effect, and finds nothing. */
void postgres_gone(struct postgres *p, const char *said);
/* Print PostgreSQL's error, and exit, unless the connection was lost. @result may be NULL. */
void postgres_broken(struct postgres *p, const struct pg_result *result);
/* Connect; see PQstatus() for the result. */
struct pg_conn *postgres_connect(const char *uri);
/* Exit with status 0, because another server has taken over. */
__attribute__((noreturn))
void postgres_lost(struct postgres *p);
/* The name of a prepared statement. */
const char *postgres_name(enum postgres_statement which, char name[12]);
/* A number of a binary result. */
uint64_t postgres_number(const struct pg_result *result, int row, int column);

/* The next result, or NULL, as PQgetResult() gives it. All functions return NULL for a lost one. */
struct pg_result *postgres_next(struct postgres *p);
/* The last result of SQL, which fails if any does. The caller clears it. */
struct pg_result *postgres_run(struct postgres *p, const char *sql);
/* Send a statement with these numbers as its parameters, and do not wait. */
void postgres_send(struct postgres *p, enum postgres_statement which,
		   const uint64_t *numbers, int count);
/* The same, with bytes as its last parameter, if they are not NULL. */
void postgres_send_with(struct postgres *p, enum postgres_statement which,
			const uint64_t *numbers, int count, const void *bytes,
			size_t size);
/* The same, with an array of numbers as its only parameter. */
void postgres_send_array(struct postgres *p, enum postgres_statement which,
			 const uint64_t *numbers, size_t count);
/* Send one statement that deletes all jobs which were removed. */
void postgres_send_removed(struct postgres *p);
/* Wait for all results, and return the last one. The caller clears it. */
struct pg_result *postgres_wait(struct postgres *p);
/* Send a statement, and wait for its result. The caller clears it. */
struct pg_result *postgres_ask(struct postgres *p, enum postgres_statement which,
			       const uint64_t *numbers, int count);

#endif
