// SPDX-License-Identifier: MIT
/*
 * Statements are sent to PostgreSQL in libpq's pipeline mode. Their results arrive in the same
 * order.
 *
 * libpq would wait indefinitely for an unreachable PostgreSQL. Only await() waits, with a timeout.
 */
#include "postgres.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Limit on the number of unread results. */
#define PENDING_MOST	1000
/* Limit on the number of parameters of a statement. */
#define PARAMETERS	16

/* The type bigint, in pg_type. */
#define INT8_OID	20

/*
 * SQLSTATE, as PostgreSQL documents them: the classes of a shutdown and of a full disk, and what
 * PG_FENCE fails with.
 */
#define SHUTDOWN	"57P"
#define NO_RESOURCES	"53"
#define DIVISION_BY_0	"22012"

void postgres_gone(struct postgres *p, const char *said)
{
	int length = strcspn(said, "\n");

	if (!p->store.can_be_lost)
		fail(EXIT_FAILED, "PostgreSQL %s: %.*s; exiting", PQdb(p->db), length, said);
	if (!p->back_off && !p->store.is_lost)
		say("PostgreSQL %s: %.*s; connecting again", PQdb(p->db), length, said);
	p->store.is_lost = true;
}

void postgres_broken(struct postgres *p, const struct pg_result *result)
{
	const char *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE) ?: "";

	if (p->store.is_lost)
		return;
	if (!strcmp(code, DIVISION_BY_0))
		postgres_lost(p);
	if (!said || !*said)
		said = PQerrorMessage(p->db);
	if (PQstatus(p->db) != CONNECTION_OK || !strncmp(code, SHUTDOWN, strlen(SHUTDOWN)) ||
	    !strncmp(code, NO_RESOURCES, strlen(NO_RESOURCES)))
		postgres_gone(p, said);
	else
		fail(EXIT_FAILED, "PostgreSQL %s: %.*s; exiting",
		     PQdb(p->db), (int)strcspn(said, "\n"), said);
}

void postgres_lost(struct postgres *p)
{
	fail(0, "PostgreSQL %s: another server has taken over; exiting",
	     PQdb(p->db));
}

const char *postgres_name(enum postgres_statement which, char name[12])
{
	snprintf(name, 12, "%d", which);
	return name;
}

uint64_t postgres_number(const struct pg_result *result, int row, int column)
{
	uint64_t number;

	memcpy(&number, PQgetvalue(result, row, column), sizeof(number));
	return be64toh(number);
}

/* The URI comes last, so it overrides the others. */
static const char *const keywords[] = {
	"application_name", "connect_timeout", "keepalives_idle",
	"keepalives_interval", "keepalives_count", "tcp_user_timeout", "dbname",
	NULL,
};

#define VALUES(uri) { \
	"wheelq", STORE_TEXT(POSTGRES_LEASE_S), "2", "1", "3", \
	STORE_TEXT(POSTGRES_LEASE_MS), uri, NULL, \
}

/* Notices are ignored; errors are returned with results. */
static void no_notice(void *context, const char *message)
{
	(void)context;
	(void)message;
}

struct pg_conn *postgres_connect(const char *uri)
{
	const char *const values[] = VALUES(uri);
	PGconn *db = PQconnectdbParams(keywords, values, 1);

	PQsetNoticeProcessor(db, no_notice, NULL);
	return db;
}

/*
 * PostgreSQL has not responded for the time of the lease. If it can be reached, it is only slow.
 */
static void check_silence(struct postgres *p)
{
	const char *const values[] = VALUES(p->uri);

	if (PQpingParams(keywords, values, 1) == PQPING_NO_RESPONSE)
		postgres_gone(p, "not responding, and cannot be reached");
}

/* An error is reported with the next result. */
static void await(struct postgres *p, short events)
{
	struct pollfd fd = { .fd = PQsocket(p->db), .events = events };

	if (poll(&fd, 1, POSTGRES_LEASE_MS))
		PQconsumeInput(p->db);
	else
		check_silence(p);
}

struct pg_result *postgres_next(struct postgres *p)
{
	/* PostgreSQL stops reading while its results are not read. */
	while (!p->store.is_lost && PQflush(p->db) > 0)
		await(p, POLLIN | POLLOUT);
	while (!p->store.is_lost && PQisBusy(p->db))
		await(p, POLLIN);
	return p->store.is_lost ? NULL : PQgetResult(p->db);
}

static struct pg_result *unless_lost(struct postgres *p, struct pg_result *result)
{
	if (!p->store.is_lost)
		return result;
	PQclear(result);
	return NULL;
}

struct pg_result *postgres_run(struct postgres *p, const char *sql)
{
	struct pg_result *last = NULL, *result;

	if (!p->store.is_lost && !PQsendQuery(p->db, sql))
		postgres_broken(p, NULL);
	while ((result = postgres_next(p))) {
		PQclear(last);
		last = result;
	}
	return unless_lost(p, last);
}

static struct pg_result *next_result(struct postgres *p, ExecStatusType wanted)
{
	struct pg_result *result = postgres_next(p);
	ExecStatusType status = PQresultStatus(result);

	if (status != wanted &&
	    !(wanted == PGRES_COMMAND_OK && status == PGRES_TUPLES_OK))
		postgres_broken(p, result);
	return unless_lost(p, result);
}

struct pg_result *postgres_wait(struct postgres *p)
{
	struct pg_result *last = NULL;

	if (!p->store.is_lost && !PQpipelineSync(p->db))
		postgres_broken(p, NULL);
	for (; p->pending; p->pending--) {
		PQclear(last);
		last = next_result(p, PGRES_COMMAND_OK);
		/* NULL ends the results of each statement. */
		PQclear(postgres_next(p));
	}
	PQclear(next_result(p, PGRES_PIPELINE_SYNC));
	return unless_lost(p, last);
}

void postgres_send_with(struct postgres *p, enum postgres_statement which,
			const uint64_t *numbers, int count, const void *bytes,
			size_t size)
{
	uint64_t big[PARAMETERS];
	const char *values[PARAMETERS];
	int lengths[PARAMETERS], formats[PARAMETERS];
	char name[12];
	int i;

	if (p->pending >= PENDING_MOST)
		PQclear(postgres_wait(p));
	if (p->store.is_lost)
		return;
	for (i = 0; i < count; i++) {
		big[i] = htobe64(numbers[i]);
		values[i] = (const char *)&big[i];
		lengths[i] = sizeof(big[i]);
		formats[i] = 1;
	}
	if (bytes) {
		values[count] = bytes;
		lengths[count] = size;
		formats[count++] = 1;
	}
	if (!PQsendQueryPrepared(p->db, postgres_name(which, name), count,
				 values, lengths, formats, 1))
		postgres_broken(p, NULL);
	p->pending++;
}

void postgres_send(struct postgres *p, enum postgres_statement which,
		   const uint64_t *numbers, int count)
{
	postgres_send_with(p, which, numbers, count, NULL, 0);
}

/* An array of bigint, as PostgreSQL's functions array_send() and int8send() write it. */
struct array {
	uint32_t dimensions;
	uint32_t has_null;
	uint32_t type;
	uint32_t count;
	uint32_t first;
	struct {
		uint32_t size;
		uint64_t number;
	} __attribute__((packed)) items[];
};

void postgres_send_array(struct postgres *p, enum postgres_statement which,
			 const uint64_t *numbers, size_t count)
{
	size_t size = sizeof(struct array) + count * sizeof(((struct array *)NULL)->items[0]), i;
	struct array *array = zeroed(1, size);

	array->dimensions = htobe32(1);
	array->type = htobe32(INT8_OID);
	array->count = htobe32(count);
	array->first = htobe32(1);
	for (i = 0; i < count; i++) {
		array->items[i].size = htobe32(sizeof(*numbers));
		array->items[i].number = htobe64(numbers[i]);
	}
	postgres_send_with(p, which, NULL, 0, array, size);
	free(array);
}

void postgres_send_removed(struct postgres *p)
{
	if (p->removed_count)
		postgres_send_array(p, PG_REMOVE, p->removed, p->removed_count);
	p->removed_count = 0;
}

struct pg_result *postgres_ask(struct postgres *p, enum postgres_statement which,
			       const uint64_t *numbers, int count)
{
	postgres_send_removed(p);
	postgres_send(p, which, numbers, count);
	return postgres_wait(p);
}
