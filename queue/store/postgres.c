// SPDX-License-Identifier: MIT
/*
 * The store in PostgreSQL. Changes are sent without waiting for their results. A query or a commit
 * waits for the results of all previous statements. An iteration of the server therefore takes one
 * round trip and one commit.
 */
#include "postgres.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "fail.h"

/* Rounded so that the queue's clock is late, not early. */
#define NOW_MS	"floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
#define AFTER_MS "ceil(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

const char *const postgres_statements[PG_STATEMENTS] = {
	[PG_PUT] = "INSERT INTO wheelq_job(id, " COLUMNS ", crc, body)\n"
		"VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16)",
	[PG_CHANGE] = "UPDATE wheelq_job SET (id, " COLUMNS ") =\n"
		"($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14) WHERE id = $1",
	[PG_REMOVE] = "DELETE FROM wheelq_job WHERE id = ANY($1)",
	[PG_SET_KEY] = "UPDATE wheelq_job SET key = $2 WHERE id = $1",
	[PG_DROP_KEY] = "UPDATE wheelq_job SET key = NULL WHERE id = $1",
	[PG_FIND_KEY] = "SELECT id FROM wheelq_job WHERE tube = $1 AND key = $2",
	[PG_GET] = "SELECT id, " COLUMNS ", length(body)::bigint FROM wheelq_job\n"
		"WHERE id = $1",
	[PG_BODY] = "SELECT id, body, crc FROM wheelq_job WHERE id = $1",
	[PG_BODIES] = "SELECT id, body, crc FROM wheelq_job WHERE id = ANY($1)",
	[PG_SCAN] = "SELECT id, " COLUMNS ", length(body)::bigint FROM wheelq_job\n"
		"WHERE tube = $1 AND state = $2\n"
		"AND (rank, due, id) >= ($3, $4, $5)\n"
		"ORDER BY rank, due, id LIMIT $6",
	[PG_NUMBERS] = "SELECT next_id, skew + " NOW_MS ", clock, counted\n"
		"FROM wheelq_store",
	/* All servers share PostgreSQL's clock: @skew is relative to it. */
	[PG_SET_NUMBERS] = "UPDATE wheelq_store\n"
		"SET next_id = $1, clock = $2, skew = $2 - " AFTER_MS ", counted = $3",
	[PG_LIMITS] = "SELECT reserved, rate, name FROM wheelq_limit",
	[PG_SET_LIMIT] = "INSERT INTO wheelq_limit VALUES($1,$2,$3)\n"
		"ON CONFLICT(name) DO UPDATE SET (reserved, rate) = ($1,$2)",
	[PG_DROP_LIMIT] = "DELETE FROM wheelq_limit WHERE name = $1",
	[PG_TUBES] = "SELECT number, delayed, timed, ready, reserved, buried, turn, name\n"
		"FROM wheelq_tube ORDER BY number",
	[PG_ADD_TUBE] = "INSERT INTO wheelq_tube(turn, delayed, timed, ready, reserved,\n"
		"buried, number, name) VALUES($1,$2,$3,$4,$5,$6,$7,$8)",
	[PG_SET_TUBE] = "UPDATE wheelq_tube SET (turn, delayed, timed, ready, reserved,\n"
		"buried) = ($1,$2,$3,$4,$5,$6) WHERE turn = $7",
	[PG_FORGET_TUBE] = "DELETE FROM wheelq_tube WHERE turn = $1",
	[PG_COUNT] = "SELECT tube, state, count(*), sum(" POSTGRES_JOB_SIZE ")::bigint\n"
		"FROM wheelq_job WHERE id >= $1 GROUP BY tube, state",
	[PG_SIZE] = "SELECT turn, bytes FROM wheelq_size",
	[PG_SET_SIZE] = "UPDATE wheelq_size SET (turn, bytes) = ($1,$2) WHERE turn = $3",
	/* Fails with another epoch. The lock makes a takeover wait for the transaction. */
	[PG_FENCE] = "SELECT 1 / (SELECT count(*) FROM\n"
		"(SELECT FROM wheelq_epoch WHERE epoch = $1 FOR SHARE) AS ours)",
	[PG_STILL_OURS] = "SELECT FROM wheelq_epoch WHERE epoch = $1",
	[PG_BEGIN] = "BEGIN",
	[PG_COMMIT] = "COMMIT",
};

static struct postgres *postgres_of(struct store *store)
{
	return (struct postgres *)store;
}

static void begin(struct postgres *p)
{
	if (!p->is_open)
		postgres_send(p, PG_BEGIN, NULL, 0);
	p->is_open = true;
}

static void save_size(struct postgres *p)
{
	const uint64_t all[] = { ++p->turn, p->size, p->size_turn };

	if (!p->is_resized)
		return;
	postgres_send(p, PG_SET_SIZE, all, 3);
	p->size_turn = p->turn;
	p->is_resized = false;
}

static void commit(struct postgres *p)
{
	postgres_send_removed(p);
	save_size(p);
	postgres_send(p, PG_FENCE, &p->store.epoch, 1);
	postgres_send(p, PG_COMMIT, NULL, 0);
	p->is_open = false;
	PQclear(postgres_wait(p));
}

static void still_ours(struct postgres *p)
{
	struct pg_result *result = postgres_ask(p, PG_STILL_OURS, &p->store.epoch, 1);

	if (!PQntuples(result) && !p->store.is_lost)
		postgres_lost(p);
	PQclear(result);
}

/*
 * Without changes, check whether another server has taken over. The lease begins after the request
 * is sent. If the response took as long as the lease, it may be out of date, so check again.
 */
static void postgres_commit(struct store *store)
{
	struct postgres *p = postgres_of(store);
	uint64_t sent;

	do {
		sent = clock_ms();
		if (p->is_open)
			commit(p);
		else
			still_ours(p);
	} while (!store->is_lost && clock_ms() - sent >= POSTGRES_LEASE_MS);
}

static void postgres_close(struct store *store)
{
	struct postgres *p = postgres_of(store);

	bodies_clear(&p->bodies);
	/* The store that takes its place has closed the connection. */
	if (!store->is_lost)
		PQfinish(p->db);
	free(p);
}

static void postgres_numbers(struct store *store, struct store_numbers *numbers)
{
	struct postgres *p = postgres_of(store);
	struct pg_result *result = postgres_ask(p, PG_NUMBERS, NULL, 0);

	if (store->is_lost)
		return;
	if (!PQntuples(result))
		fail(EXIT_FAILED, "table wheelq_store is empty");
	numbers->next_id = postgres_number(result, 0, 0);
	/* The wall clock is read last: the round trip makes the queue's clock late, not early. */
	numbers->skew = postgres_number(result, 0, 1) * 1000000 -
			clock_ns(CLOCK_REALTIME);
	numbers->clock = postgres_number(result, 0, 2);
	numbers->counted = postgres_number(result, 0, 3);
	PQclear(result);
	result = postgres_ask(p, PG_SIZE, NULL, 0);
	if (store->is_lost)
		return;
	if (PQntuples(result) != 1)
		fail(EXIT_FAILED, "table wheelq_size must have exactly one row");
	p->turn = postgres_number(result, 0, 0);
	p->size = postgres_number(result, 0, 1);
	PQclear(result);
	p->size_turn = p->turn;
	p->is_resized = false;
	p->bytes = p->size;
	p->counted = numbers->counted;
}

static void postgres_set_numbers(struct store *store,
				 const struct store_numbers *numbers)
{
	const uint64_t all[] = {
		numbers->next_id, numbers->clock, numbers->counted,
	};
	struct postgres *p = postgres_of(store);

	begin(p);
	postgres_send(p, PG_SET_NUMBERS, all, 3);
	if (p->counted == numbers->counted)
		return;
	p->counted = numbers->counted;
	p->size = p->bytes;
	p->is_resized = true;
}

static void postgres_tubes(struct store *store, void *context,
			   void (*found)(void *context,
					 const struct store_tube *tube))
{
	struct postgres *p = postgres_of(store);
	struct pg_result *result = postgres_ask(p, PG_TUBES, NULL, 0);
	int row, state;

	for (row = 0; row < PQntuples(result); row++) {
		struct store_tube tube = {
			.number = postgres_number(result, row, 0),
			.turn = postgres_number(result, row, JOB_STATES),
			.name = PQgetvalue(result, row, JOB_STATES + 1),
		};

		for (state = JOB_DELAYED; state < JOB_STATES; state++)
			tube.jobs[state] = postgres_number(result, row, state);
		if (tube.turn > p->turn)
			p->turn = tube.turn;
		found(context, &tube);
	}
	PQclear(result);
}

static void postgres_limits(struct store *store, void *context,
			    void (*found)(void *context,
					  const struct store_limit *limit))
{
	struct pg_result *result = postgres_ask(postgres_of(store), PG_LIMITS, NULL, 0);
	int row;

	for (row = 0; row < PQntuples(result); row++) {
		const struct store_limit limit = {
			.name = PQgetvalue(result, row, 2),
			.reserved = postgres_number(result, row, 0),
			.rate = postgres_number(result, row, 1),
		};

		found(context, &limit);
	}
	PQclear(result);
}

static void postgres_set_limit(struct store *store, const struct store_limit *limit)
{
	const uint64_t numbers[] = { limit->reserved, limit->rate };
	bool is_set = limit->reserved || limit->rate;
	struct postgres *p = postgres_of(store);

	begin(p);
	postgres_send_with(p, is_set ? PG_SET_LIMIT : PG_DROP_LIMIT, numbers,
			   is_set ? 2 : 0, limit->name, strlen(limit->name));
}

static void postgres_set_tube(struct store *store, struct store_tube *tube)
{
	struct postgres *p = postgres_of(store);
	uint64_t all[JOB_STATES + 1] = { ++p->turn };
	int state;

	begin(p);
	for (state = JOB_DELAYED; state < JOB_STATES; state++)
		all[state] = tube->jobs[state];
	all[JOB_STATES] = tube->turn ? tube->turn : tube->number;
	if (tube->is_gone)
		postgres_send(p, PG_FORGET_TUBE, &tube->turn, 1);
	else if (tube->turn)
		postgres_send(p, PG_SET_TUBE, all, JOB_STATES + 1);
	else
		postgres_send_with(p, PG_ADD_TUBE, all, JOB_STATES + 1, tube->name,
				   strlen(tube->name));
	tube->turn = tube->is_gone ? 0 : p->turn;
}

static void postgres_count(struct store *store, uint64_t id, void *context,
			   void (*found)(void *context, uint64_t tube,
					 enum job_state state, uint64_t jobs))
{
	struct postgres *p = postgres_of(store);
	struct pg_result *result = postgres_ask(p, PG_COUNT, &id, 1);
	int row;

	for (row = 0; row < PQntuples(result); row++) {
		found(context, postgres_number(result, row, 0),
		      postgres_number(result, row, 1),
		      postgres_number(result, row, 2));
		p->bytes += postgres_number(result, row, 3);
	}
	PQclear(result);
}

static void read_record(const struct pg_result *result, int row, struct job_record *rec)
{
	uint64_t values[COLUMN_COUNT + 1];
	int i;

	for (i = 0; i <= COLUMN_COUNT; i++)
		values[i] = postgres_number(result, row, i);
	columns_read(rec, values);
}

static void postgres_put(struct store *store, const struct job_record *rec,
			 const void *body)
{
	struct postgres *p = postgres_of(store);
	uint64_t values[COLUMN_COUNT + 1];

	columns_write(rec, values);
	values[COLUMN_COUNT] = columns_checksum(rec->id, body, rec->size);
	begin(p);
	postgres_send_with(p, PG_PUT, values, COLUMN_COUNT + 1, body, rec->size);
	p->bytes += POSTGRES_JOB_BYTES + rec->size;
	if (rec->state == JOB_READY && bodies_have_room(&p->bodies, rec->size))
		bodies_add(&p->bodies, rec->id, body, rec->size);
}

static void postgres_change(struct store *store, const struct job_record *rec)
{
	struct postgres *p = postgres_of(store);
	uint64_t values[COLUMN_COUNT];

	columns_write(rec, values);
	begin(p);
	postgres_send(p, PG_CHANGE, values, COLUMN_COUNT);
}

static void postgres_remove(struct store *store, const struct job_record *rec)
{
	struct postgres *p = postgres_of(store);
	uint64_t bytes = POSTGRES_JOB_BYTES + rec->size;

	begin(p);
	if (p->removed_count == POSTGRES_REMOVED)
		postgres_send_removed(p);
	p->removed[p->removed_count++] = rec->id;
	bodies_take(&p->bodies, rec->id, NULL);
	p->bytes -= bytes;
	if (rec->id >= p->counted)
		return;
	p->size -= bytes;
	p->is_resized = true;
}

static void postgres_set_key(struct store *store, uint64_t id, const char *key)
{
	struct postgres *p = postgres_of(store);

	begin(p);
	if (key)
		postgres_send_with(p, PG_SET_KEY, &id, 1, key, strlen(key));
	else
		postgres_send(p, PG_DROP_KEY, &id, 1);
}

static uint64_t postgres_find_key(struct store *store, uint64_t tube,
				  const char *key)
{
	struct postgres *p = postgres_of(store);
	struct pg_result *result;
	uint64_t id;

	postgres_send_removed(p);
	postgres_send_with(p, PG_FIND_KEY, &tube, 1, key, strlen(key));
	result = postgres_wait(p);
	id = PQntuples(result) ? postgres_number(result, 0, 0) : 0;
	PQclear(result);
	return id;
}

static bool postgres_get(struct store *store, uint64_t id,
			 struct job_record *rec)
{
	struct pg_result *result = postgres_ask(postgres_of(store), PG_GET, &id, 1);
	bool found = PQntuples(result);

	if (found)
		read_record(result, 0, rec);
	PQclear(result);
	return found;
}

static bool postgres_has_body(struct store *store, uint64_t id)
{
	return bodies_have(&postgres_of(store)->bodies, id);
}

static bool matches(const struct pg_result *result, int row)
{
	return postgres_number(result, row, 2) ==
	       columns_checksum(postgres_number(result, row, 0), PQgetvalue(result, row, 1),
				PQgetlength(result, row, 1));
}

/* A damaged body is left out, and read again by @body. */
static void postgres_read_ahead(struct store *store, const uint64_t *ids, size_t count)
{
	struct postgres *p = postgres_of(store);
	uint64_t *wanted = zeroed(count, sizeof(*wanted));
	struct pg_result *result;
	size_t i, missing = 0;
	int row;

	for (i = 0; i < count; i++)
		if (!bodies_have(&p->bodies, ids[i]))
			wanted[missing++] = ids[i];
	postgres_send_array(p, PG_BODIES, wanted, missing);
	free(wanted);
	result = postgres_wait(p);
	for (row = 0; row < PQntuples(result); row++)
		if (matches(result, row))
			bodies_add(&p->bodies, postgres_number(result, row, 0),
				   PQgetvalue(result, row, 1), PQgetlength(result, row, 1));
	PQclear(result);
}

static bool postgres_body(struct store *store, uint64_t id, void *body,
			  size_t size)
{
	struct postgres *p = postgres_of(store);
	struct pg_result *result;
	bool is_good;

	if (bodies_take(&p->bodies, id, body))
		return true;
	result = postgres_ask(p, PG_BODY, &id, 1);
	/* No client receives it. */
	if (store->is_lost)
		return true;
	if (!PQntuples(result) || (size_t)PQgetlength(result, 0, 1) != size)
		fail(EXIT_FAILED, "wheelq_job: the body of job %llu is missing or damaged",
		     (unsigned long long)id);
	is_good = matches(result, 0);
	memcpy(body, PQgetvalue(result, 0, 1), size);
	PQclear(result);
	return is_good;
}

static size_t postgres_scan(struct store *store, uint64_t tube,
			    enum job_state state, const struct job_key *from,
			    struct job_record *recs, size_t count)
{
	const uint64_t all[] = {
		tube, state, from->rank, from->due, from->id, count,
	};
	struct pg_result *result = postgres_ask(postgres_of(store), PG_SCAN, all, 6);
	int row, found = PQntuples(result);

	for (row = 0; row < found; row++)
		read_record(result, row, &recs[row]);
	PQclear(result);
	return found;
}

static uint64_t postgres_bytes(struct store *store)
{
	return postgres_of(store)->bytes;
}

const struct store_ops postgres_ops = {
	.close = postgres_close,
	.numbers = postgres_numbers,
	.set_numbers = postgres_set_numbers,
	.tubes = postgres_tubes,
	.limits = postgres_limits,
	.set_limit = postgres_set_limit,
	.set_tube = postgres_set_tube,
	.count = postgres_count,
	.put = postgres_put,
	.change = postgres_change,
	.remove = postgres_remove,
	.set_key = postgres_set_key,
	.find_key = postgres_find_key,
	.get = postgres_get,
	.body = postgres_body,
	.has_body = postgres_has_body,
	.read_ahead = postgres_read_ahead,
	.scan = postgres_scan,
	.commit = postgres_commit,
	.bytes = postgres_bytes,
};
