/* SPDX-License-Identifier: MIT */
/*
 * The store in PostgreSQL, for its own sources.
 *
 * One server has it and serves, others stand by. Two things keep a server out that
 * was paused and does not know that another has taken its place:
 *
 * - The server that serves has an advisory lock, which its session holds. Another
 *   takes over by ending that session, and by this rolls back what was on its way.
 * - Each transaction names the epoch, which each takeover increments. It fails when
 *   the epoch is another.
 */
#ifndef POSTGRES_H
#define POSTGRES_H

#include <libpq-fe.h>
#include <time.h>

#include "store.h"

/* Ms that a server may be silent before another takes its place. */
#define POSTGRES_LEASE_MS	4000
/* The same, as libpq wants it for a connection. */
#define POSTGRES_LEASE_S	4

#define POSTGRES_STRING(x)	#x
#define POSTGRES_TEXT(x)	POSTGRES_STRING(x)
/* In SQL: the end of a lease that begins now. */
#define POSTGRES_UNTIL \
	"clock_timestamp() + interval '" POSTGRES_TEXT(POSTGRES_LEASE_MS) " ms'"

enum postgres_statement {
	PG_PUT, PG_CHANGE, PG_REMOVE, PG_SET_KEY, PG_DROP_KEY, PG_FIND_KEY, PG_GET, PG_BODY, PG_SCAN, PG_NUMBERS,
	PG_SET_NUMBERS, PG_TUBES, PG_SET_TUBE, PG_FORGET_TUBE, PG_COUNT, PG_RENEW,
	PG_STILL_OURS, PG_BEGIN, PG_COMMIT, PG_STATEMENTS,
};

/**
 * struct postgres - a session
 * @store: what others see
 * @uri: of the database
 * @db: the connection, in pipeline mode once it is open; it never blocks
 * @epoch: of this server
 * @bytes: that jobs take
 * @pending: statements of which the result is not read yet
 * @is_open: a transaction is
 * @renewed: ms of CLOCK_BOOTTIME, when the renewal was sent that gave it its lease
 */
struct postgres {
	struct store store;
	const char *uri;
	PGconn *db;
	uint64_t epoch;
	uint64_t bytes;
	unsigned int pending;
	bool is_open;
	uint64_t renewed;
};

extern const struct store_ops postgres_ops;
extern const char *const postgres_statements[PG_STATEMENTS];

/* What PostgreSQL says, and the end. @result may be NULL. */
__attribute__((noreturn))
void postgres_broken(struct postgres *p, const struct pg_result *result);
/* Connect; see PQstatus() for the result. */
struct pg_conn *postgres_connect(const char *uri);
/* Another server serves: the end. */
__attribute__((noreturn))
void postgres_lost(struct postgres *p);
/* By which a statement is prepared. */
const char *postgres_name(enum postgres_statement which, char name[12]);
/* A number of a result that is binary. */
uint64_t postgres_number(const struct pg_result *result, int row, int column);

/* The next result, or NULL, as PQgetResult() gives it. */
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
/* Wait for the results of all that was sent: the last one. The caller clears it. */
struct pg_result *postgres_wait(struct postgres *p);
/* Send a statement, and wait for its result. The caller clears it. */
struct pg_result *postgres_ask(struct postgres *p, enum postgres_statement which,
			       const uint64_t *numbers, int count);

uint64_t postgres_clock_ms(clockid_t clock);

#endif
