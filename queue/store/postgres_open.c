// SPDX-License-Identifier: MIT
/*
 * Open the store in PostgreSQL: wait until no other server holds it, and create its tables.
 */
#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "notify.h"
#include "shards.h"
#include "standby.h"

#define LOCK_OBJECT	"hashtext(current_schema())"
/* On standby: interval of attempts to take the lock, in ms, and their number per check. */
#define ATTEMPT_MS	50
#define ATTEMPTS	2
/* Time between attempts to connect, in ms. It is doubled after each attempt. */
#define FIRST_BACK_OFF_MS	50
#define MOST_BACK_OFF_MS	5000
/* Older versions are no longer supported by PostgreSQL. */
#define VERSION_LEAST	140000
/* Of the tables. */
#define TABLES_VERSION	6
/* Changes of one commit, so that other clients are served in between. */
#define BATCH_BYTES	(8 << 20)

static const char schema[] =
	"CREATE TABLE wheelq_job(id bigint PRIMARY KEY, tube bigint NOT NULL,\n"
	"  state bigint NOT NULL, rank bigint NOT NULL, due bigint NOT NULL,\n"
	"  created bigint NOT NULL, delay bigint NOT NULL, ttr bigint NOT NULL,\n"
	"  pri bigint NOT NULL, reserves bigint NOT NULL,\n"
	"  timeouts bigint NOT NULL, releases bigint NOT NULL,\n"
	"  buries bigint NOT NULL, kicks bigint NOT NULL, body bytea NOT NULL,\n"
	"  key text, crc bigint NOT NULL);"
	"CREATE INDEX wheelq_place ON wheelq_job(tube, state, rank, due, id);"
	"CREATE INDEX wheelq_key ON wheelq_job(tube, key) WHERE key IS NOT NULL;"
	"CREATE TABLE wheelq_tube(turn bigint PRIMARY KEY, number bigint NOT NULL,\n"
	"  delayed bigint NOT NULL, timed bigint NOT NULL, ready bigint NOT NULL,\n"
	"  reserved bigint NOT NULL, buried bigint NOT NULL, name text NOT NULL);"
	"CREATE TABLE wheelq_limit(reserved bigint NOT NULL, rate bigint NOT NULL,\n"
	"  name text PRIMARY KEY);"
	"CREATE TABLE wheelq_epoch(epoch bigint NOT NULL);"
	"INSERT INTO wheelq_epoch VALUES(0);"
	"CREATE TABLE wheelq_size(turn bigint PRIMARY KEY, bytes bigint NOT NULL);"
	"INSERT INTO wheelq_size VALUES(0, 0);"
	"CREATE TABLE wheelq_store(version bigint NOT NULL, next_id bigint NOT NULL,\n"
	"  skew bigint NOT NULL, clock bigint NOT NULL, counted bigint NOT NULL);";

/* The result of statements, which must succeed; NULL: lost. The caller clears it. */
static struct pg_result *result_of(struct postgres *p, const char *sql)
{
	struct pg_result *result = postgres_run(p, sql);
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
		return result;
	postgres_broken(p, result);
	PQclear(result);
	return NULL;
}

static void execute(struct postgres *p, const char *sql)
{
	PQclear(result_of(p, sql));
}

/* The result of a query that returns one number, or 0 if the connection was lost. */
static long long number_of(struct postgres *p, const char *sql)
{
	struct pg_result *result = result_of(p, sql);
	long long number = result ? strtoll(PQgetvalue(result, 0, 0), NULL, 10) : 0;

	PQclear(result);
	return number;
}

static void connect_to(struct postgres *p)
{
	p->db = postgres_connect(p->uri);
	if (PQstatus(p->db) != CONNECTION_OK || PQsetnonblocking(p->db, 1)) {
		const char *said = PQerrorMessage(p->db);

		if (!p->store.can_be_lost)
			fail(EXIT_FAILED, "cannot open the store: %.*s",
			     (int)strcspn(said, "\n"), said);
		postgres_gone(p, said);
		return;
	}
	if (PQserverVersion(p->db) < VERSION_LEAST)
		fail(EXIT_FAILED, "PostgreSQL %s: version 14 or newer is required",
		     PQdb(p->db));
}

static void set_session(struct postgres *p)
{
	char sql[256];

	if (!number_of(p, "SELECT (current_setting('fsync') = 'on')::int") && !p->store.is_lost)
		fail(EXIT_FAILED,
		     "PostgreSQL %s: rejected, because commits do not survive a crash with fsync=off",
		     PQdb(p->db));
	if (!number_of(p, "SELECT (current_setting('track_activities') = 'on')::int") &&
	    !p->store.is_lost)
		fail(EXIT_FAILED,
		     "PostgreSQL %s: rejected, because silent servers are not detected with track_activities=off",
		     PQdb(p->db));
	/*
	 * Each query reads a range of an index. Without statistics of the tables, PostgreSQL
	 * would read the whole table. The cost of disabled plans is high, which must not cause
	 * the statement to be compiled.
	 */
	execute(p, "SET synchronous_commit = on;"
		   "SET plan_cache_mode = force_generic_plan;"
		   "SET enable_seqscan = off;"
		   "SET enable_bitmapscan = off;"
		   "SET enable_sort = off;"
		   "SET jit = off");
	if (!p->shard)
		return;
	/* The first process of the server finds out by this name which server holds the lock. */
	snprintf(sql, sizeof(sql),
		 "SET search_path = wheelq_%u;"
		 "SET application_name = '" SHARDS_NAME "'",
		 p->shard->number, p->shard->address, p->shard->port);
	execute(p, sql);
}

/* A statement that waits for the lock would hold a snapshot. */
static bool take_lock(struct postgres *p)
{
	return number_of(p, "SELECT pg_try_advisory_lock(" POSTGRES_LOCK_CLASS ",\n"
			 LOCK_OBJECT ")::int");
}

/* After a lost connection, the lock may be held by a session of this server, or of another one. */
static void check_epoch(struct postgres *p)
{
	uint64_t epoch = p->store.epoch;

	if (epoch && (uint64_t)number_of(p, "SELECT epoch FROM wheelq_epoch") != epoch &&
	    !p->store.is_lost)
		postgres_lost(p);
}

static void become_holder(struct postgres *p)
{
	unsigned int attempts = 0;

	for (; !take_lock(p) && !p->store.is_lost; attempts++) {
		if (!attempts && !p->store.epoch) {
			notify("READY=1\nSTATUS=on standby");
			say("on standby: another server holds the store in PostgreSQL %s",
			    PQdb(p->db));
		}
		if (!(attempts % ATTEMPTS)) {
			check_epoch(p);
			execute(p, POSTGRES_END_SILENT);
		}
		standby_wait(p->http_fd, ATTEMPT_MS);
	}
}

/* In one transaction: after a crash, the database is still empty. */
static void create_tables(struct postgres *p)
{
	unsigned long long first = p->shard ? p->shard->first_id : 1;
	char row[128];

	if (!p->shard && number_of(p, "SELECT (to_regclass('wheelq.shard') IS NOT NULL)::int"))
		fail(EXIT_USAGE, "PostgreSQL %s: its tubes are divided; --shards is required",
		     PQdb(p->db));
	snprintf(row, sizeof(row), "INSERT INTO wheelq_store VALUES(%d, %llu, 0, 0, %llu)",
		 TABLES_VERSION, first, first);
	execute(p, "BEGIN");
	execute(p, schema);
	execute(p, row);
	execute(p, "COMMIT");
}

static void check_schema(struct postgres *p)
{
	long long version = TABLES_VERSION;

	if (!number_of(p, "SELECT (to_regclass('wheelq_store') IS NOT NULL)::int"))
		create_tables(p);
	else
		version = number_of(p, "SELECT version FROM wheelq_store");
	if (version != TABLES_VERSION && !p->store.is_lost)
		fail(EXIT_FAILED, "PostgreSQL %s: " STORE_OTHER_VERSION, PQdb(p->db), version,
		     TABLES_VERSION);
}

/* From now on, the other servers forward commands to this process. */
static void publish(struct postgres *p)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "UPDATE wheelq.shard SET (address, port) = ('%s', %s) WHERE number = %u",
		 p->shard->address, p->shard->port, p->shard->number);
	execute(p, sql);
}

static void begin_epoch(struct postgres *p)
{
	struct pg_result *result;

	if (p->shard)
		publish(p);
	result = result_of(p, "UPDATE wheelq_epoch SET epoch = epoch + 1 RETURNING epoch");
	if (p->store.is_lost)
		return;
	if (PQntuples(result) != 1)
		fail(EXIT_FAILED, "PostgreSQL %s: table wheelq_epoch must have exactly one row",
		     PQdb(p->db));
	p->store.epoch = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
}

static void prepare(struct postgres *p)
{
	char name[12];
	int i;

	for (i = 0; i < PG_STATEMENTS; i++, p->pending++)
		if (!PQsendPrepare(p->db, postgres_name(i, name),
				   postgres_statements[i], 0, NULL))
			postgres_broken(p, NULL);
	PQclear(postgres_wait(p));
}

static void back_off(struct postgres *p)
{
	p->back_off = p->back_off ? 2 * p->back_off : FIRST_BACK_OFF_MS;
	if (p->back_off > MOST_BACK_OFF_MS)
		p->back_off = MOST_BACK_OFF_MS;
	standby_wait(p->http_fd, p->back_off);
}

static void connect_again(struct postgres *p)
{
	back_off(p);
	PQfinish(p->db);
	p->pending = 0;
	p->is_open = false;
	p->store.is_lost = false;
	connect_to(p);
	set_session(p);
}

/* Until the store is held, a lost connection is opened again. */
static void hold_store(struct postgres *p)
{
	p->store.can_be_lost = true;
	do {
		if (p->store.is_lost)
			connect_again(p);
		become_holder(p);
		check_schema(p);
		begin_epoch(p);
		if (!PQenterPipelineMode(p->db))
			postgres_broken(p, NULL);
		prepare(p);
	} while (p->store.is_lost);
	p->back_off = 0;
	p->store.can_be_lost = false;
}

static struct postgres *make(const char *uri, int http_fd, const struct store_shard *shard)
{
	struct postgres *p = zeroed(1, sizeof(*p));

	p->store.ops = &postgres_ops;
	p->store.lease = POSTGRES_LEASE_MS;
	p->store.batch = BATCH_BYTES;
	p->uri = uri;
	p->shard = shard;
	p->http_fd = http_fd;
	bodies_open(&p->bodies);
	return p;
}

/* Exit if another server has taken over. The new store closes the connection of the lost one. */
static struct store *reopen(struct store *lost)
{
	struct postgres *old = (struct postgres *)lost;
	struct postgres *p = make(old->uri, -1, old->shard);

	p->store.reopen = reopen;
	p->store.epoch = lost->epoch;
	p->store.is_lost = true;
	p->db = old->db;
	hold_store(p);
	return &p->store;
}

struct store *postgres_open(const char *uri, int http_fd, const struct store_shard *shard)
{
	struct postgres *p = make(uri, http_fd, shard);

	p->store.reopen = reopen;
	connect_to(p);
	set_session(p);
	hold_store(p);
	/* From now on, the event loop responds. */
	p->http_fd = -1;
	return &p->store;
}
