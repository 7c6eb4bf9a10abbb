// SPDX-License-Identifier: MIT
/*
 * The store in SQLite, with a write-ahead log that each commit syncs.
 *
 * One table contains the jobs, and one index their order: (tube, state, rank, due, id).
 * Each query reads a range of that index, or a job by its id or its key.
 */
#include "sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "columns.h"
#include "fail.h"

/* While the disk or the log is full, check again after this many puts. */
#define REFUSED_BATCH	64
/* While another program reads, the log may grow to this multiple. Then no job is accepted. */
#define LOG_LIMIT	4

const char *const sqlite_statements[STATEMENTS] = {
	[PUT] = "INSERT INTO job(id, " COLUMNS ", body, crc)\n"
		"VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)",
	[CHANGE] = "UPDATE job SET (" COLUMNS ") =\n"
		"(?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14) WHERE id = ?1",
	[REMOVE] = "DELETE FROM job WHERE id = ?1",
	[SET_KEY] = "UPDATE job SET key = ?2 WHERE id = ?1",
	[FIND_KEY] = "SELECT id FROM job WHERE tube = ?1 AND key = ?2",
	[GET] = "SELECT id, " COLUMNS ", length(body) FROM job WHERE id = ?1",
	[BODY] = "SELECT body, crc FROM job WHERE id = ?1",
	[SCAN] = "SELECT id, " COLUMNS ", length(body) FROM job\n"
		"WHERE tube = ?1 AND state = ?2\n"
		"AND (rank, due, id) >= (?3, ?4, ?5)\n"
		"ORDER BY rank, due, id LIMIT ?6",
	[NUMBERS] = "SELECT next_id, skew, clock, counted, boot, ahead\n"
		"FROM numbers",
	[SET_NUMBERS] = "UPDATE numbers\n"
		"SET next_id = ?1, skew = ?2, clock = ?3, counted = ?4,\n"
		"boot = ?5, ahead = ?6",
	[TUBES] = "SELECT * FROM tube ORDER BY number",
	[LIMITS] = "SELECT name, reserved, rate FROM tube_limit",
	[SET_LIMIT] = "INSERT OR REPLACE INTO tube_limit VALUES(?3,?1,?2)",
	[DROP_LIMIT] = "DELETE FROM tube_limit WHERE name = ?3",
	/* The name is constant, so the index of names is not written. */
	[SET_TUBE] = "INSERT INTO tube VALUES(?1,?2,?3,?4,?5,?6,?7)\n"
		"ON CONFLICT(number) DO UPDATE SET\n"
		"(delayed, timed, ready, reserved, buried) = (?3,?4,?5,?6,?7)",
	[FORGET_TUBE] = "DELETE FROM tube WHERE number = ?1",
	/* With the index, it would read all jobs. */
	[COUNT] = "SELECT tube, state, count(*) FROM job NOT INDEXED\n"
		"WHERE id >= ?1 GROUP BY tube, state",
	[PAGES] = "PRAGMA page_count",
	[FREE_PAGES] = "PRAGMA freelist_count",
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[STAY] = "SELECT one FROM numbers",
};

static struct sqlite *sqlite_of(struct store *store)
{
	return (struct sqlite *)store;
}

void sqlite_broken(struct sqlite *s)
{
	int saved = errno, err = sqlite3_extended_errcode(s->db);
	int cause = sqlite3_system_errno(s->db);

	/* SQLite does not record errno for the file of shared memory. */
	if (err == SQLITE_IOERR_SHMSIZE)
		cause = saved;
	fail(EXIT_FAILED, "%s: %s%s%s (SQLite %d); exiting%s",
	     s->path, sqlite3_errmsg(s->db), cause ? ": " : "",
	     cause ? strerror(cause) : "", err,
	     (err & 0xff) == SQLITE_CORRUPT ?
	     "; copy the readable part with sqlite3 .recover" : "");
}

/* The statement with these numbers as its parameters. */
static sqlite3_stmt *bind(struct sqlite *s, enum statement which,
			  const uint64_t *numbers, int count)
{
	sqlite3_stmt *statement = s->statements[which];
	int i;

	for (i = 0; i < count; i++)
		if (sqlite3_bind_int64(statement, i + 1, numbers[i]))
			sqlite_broken(s);
	return statement;
}

/* Return: true if a row is available. */
static bool step(struct sqlite *s, sqlite3_stmt *statement)
{
	int err = sqlite3_step(statement);

	if (err != SQLITE_ROW && err != SQLITE_DONE)
		sqlite_broken(s);
	return err == SQLITE_ROW;
}

static void finish(struct sqlite *s, sqlite3_stmt *statement)
{
	step(s, statement);
	sqlite3_reset(statement);
}

static void sqlite_begin(struct store *store)
{
	struct sqlite *s = sqlite_of(store);

	if (!s->is_open)
		finish(s, s->statements[BEGIN]);
	s->is_open = true;
}

static void begin_change(struct sqlite *s)
{
	sqlite_begin(&s->store);
	s->has_changes = true;
}

static void end(struct sqlite *s)
{
	if (s->is_open)
		finish(s, s->statements[COMMIT]);
	s->is_open = false;
	s->has_changes = false;
}

static uint64_t number_of(struct sqlite *s, enum statement which)
{
	sqlite3_stmt *statement = s->statements[which];
	uint64_t number;

	step(s, statement);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_reset(statement);
	return number;
}

void sqlite_stay(struct sqlite *s)
{
	step(s, s->statements[STAY]);
}

/* An open transaction prevents this, so the server's own are ended or restarted. */
static void empty_log(struct sqlite *s)
{
	int err, pages = 0, copied = -1;

	end(s);
	sqlite3_reset(s->statements[STAY]);
	err = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE,
					&pages, &copied);
	/*
	 * BUSY: another program reads the log, to make a copy; it will end. FULL: the log
	 * still has all changes.
	 */
	if (err && err != SQLITE_BUSY && err != SQLITE_FULL)
		sqlite_broken(s);
	if (copied == pages)
		s->log = 0;
	sqlite_stay(s);
}

/*
 * The times are not requested. Since Linux 6.13, the first write after they were read changes them
 * again, and a sync writes the inode of a file system without a journal.
 */
static bool is_name_of(const char *name, const struct stat *file)
{
	struct statx found;

	return !statx(AT_FDCWD, name, 0, STATX_INO, &found) && found.stx_ino == file->st_ino &&
	       makedev(found.stx_dev_major, found.stx_dev_minor) == file->st_dev;
}

/*
 * A restart finds the files by their names. If they were renamed or removed, the commits would be
 * lost, so exit.
 */
static void check_names(struct sqlite *s)
{
	if (!s->has_log) {
		s->has_log = true;
		if (stat(s->log_path, &s->log_file))
			s->log_file.st_ino = 0;
	}
	if (!is_name_of(s->path, &s->file) || !is_name_of(s->log_path, &s->log_file))
		fail(EXIT_FAILED,
		     "%s or its log was renamed or removed; exiting",
		     s->path);
}

static void sqlite_commit(struct store *store)
{
	struct sqlite *s = sqlite_of(store);

	if (!s->has_changes)
		return;
	end(s);
	check_names(s);
	if (s->log >= s->log_most)
		empty_log(s);
}

static void sqlite_close(struct store *store)
{
	struct sqlite *s = sqlite_of(store);
	int i;

	for (i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	close(s->lock);
	reserve_close(&s->reserve);
	free(s->path);
	sqlite3_free(s->log_path);
	free(s);
}

static void sqlite_numbers(struct store *store, struct store_numbers *numbers)
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = s->statements[NUMBERS];

	if (!step(s, statement))
		fail(EXIT_FAILED, "%s: table numbers is empty", s->path);
	numbers->next_id = sqlite3_column_int64(statement, 0);
	numbers->skew = sqlite3_column_int64(statement, 1);
	numbers->clock = sqlite3_column_int64(statement, 2);
	numbers->counted = sqlite3_column_int64(statement, 3);
	numbers->boot = sqlite3_column_int64(statement, 4);
	numbers->ahead = sqlite3_column_int64(statement, 5);
	sqlite3_reset(statement);
}

static void sqlite_set_numbers(struct store *store,
			       const struct store_numbers *numbers)
{
	const uint64_t all[] = {
		numbers->next_id, numbers->skew, numbers->clock,
		numbers->counted, numbers->boot, numbers->ahead,
	};
	struct sqlite *s = sqlite_of(store);

	begin_change(s);
	finish(s, bind(s, SET_NUMBERS, all, 6));
}

static void sqlite_tubes(struct store *store, void *context,
			 void (*found)(void *context,
				       const struct store_tube *tube))
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = s->statements[TUBES];

	while (step(s, statement)) {
		struct store_tube tube = {
			.number = sqlite3_column_int64(statement, 0),
			.name = (const char *)sqlite3_column_text(statement, 1),
		};
		int state;

		for (state = JOB_DELAYED; state < JOB_STATES; state++)
			tube.jobs[state] =
				sqlite3_column_int64(statement, state + 1);
		found(context, &tube);
	}
	sqlite3_reset(statement);
}

static void sqlite_limits(struct store *store, void *context,
			  void (*found)(void *context,
					const struct store_limit *limit))
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = s->statements[LIMITS];

	while (step(s, statement)) {
		const struct store_limit limit = {
			.name = (const char *)sqlite3_column_text(statement, 0),
			.reserved = sqlite3_column_int64(statement, 1),
			.rate = sqlite3_column_int64(statement, 2),
		};

		found(context, &limit);
	}
	sqlite3_reset(statement);
}

static void sqlite_set_limit(struct store *store, const struct store_limit *limit)
{
	const uint64_t numbers[] = { limit->reserved, limit->rate };
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement;

	begin_change(s);
	statement = bind(s, limit->reserved || limit->rate ? SET_LIMIT : DROP_LIMIT,
			 numbers, 2);
	if (sqlite3_bind_text(statement, 3, limit->name, -1, SQLITE_STATIC))
		sqlite_broken(s);
	finish(s, statement);
}

static void sqlite_set_tube(struct store *store, struct store_tube *tube)
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement;
	int state;

	begin_change(s);
	if (tube->is_gone) {
		finish(s, bind(s, FORGET_TUBE, &tube->number, 1));
		return;
	}
	statement = bind(s, SET_TUBE, &tube->number, 1);
	for (state = JOB_DELAYED; state < JOB_STATES; state++)
		sqlite3_bind_int64(statement, state + 2, tube->jobs[state]);
	if (sqlite3_bind_text(statement, 2, tube->name, -1, SQLITE_STATIC))
		sqlite_broken(s);
	finish(s, statement);
}

static void sqlite_count(struct store *store, uint64_t id, void *context,
			 void (*found)(void *context, uint64_t tube,
				       enum job_state state, uint64_t jobs))
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = bind(s, COUNT, &id, 1);

	while (step(s, statement))
		found(context, sqlite3_column_int64(statement, 0),
		      sqlite3_column_int64(statement, 1),
		      sqlite3_column_int64(statement, 2));
	sqlite3_reset(statement);
}

static sqlite3_stmt *bind_record(struct sqlite *s, enum statement which,
				 const struct job_record *rec)
{
	uint64_t values[COLUMN_COUNT];

	columns_write(rec, values);
	return bind(s, which, values, COLUMN_COUNT);
}

static void read_record(sqlite3_stmt *statement, struct job_record *rec)
{
	uint64_t values[COLUMN_COUNT + 1];
	int i;

	for (i = 0; i <= COLUMN_COUNT; i++)
		values[i] = sqlite3_column_int64(statement, i);
	columns_read(rec, values);
}

static void sqlite_put(struct store *store, const struct job_record *rec,
		       const void *body)
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement;

	begin_change(s);
	statement = bind_record(s, PUT, rec);
	if (sqlite3_bind_blob(statement, COLUMN_COUNT + 1, body, rec->size,
			      SQLITE_STATIC) ||
	    sqlite3_bind_int64(statement, COLUMN_COUNT + 2,
			       columns_checksum(rec->id, body, rec->size)))
		sqlite_broken(s);
	finish(s, statement);
}

static void sqlite_change(struct store *store, const struct job_record *rec)
{
	struct sqlite *s = sqlite_of(store);

	begin_change(s);
	finish(s, bind_record(s, CHANGE, rec));
}

static void sqlite_remove(struct store *store, const struct job_record *rec)
{
	struct sqlite *s = sqlite_of(store);

	begin_change(s);
	finish(s, bind(s, REMOVE, &rec->id, 1));
}

/* The statement with a number and a key as its parameters. */
static sqlite3_stmt *bind_key(struct sqlite *s, enum statement which,
			      uint64_t number, const char *key)
{
	sqlite3_stmt *statement = bind(s, which, &number, 1);

	if (sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC))
		sqlite_broken(s);
	return statement;
}

static void sqlite_set_key(struct store *store, uint64_t id, const char *key)
{
	struct sqlite *s = sqlite_of(store);

	begin_change(s);
	finish(s, bind_key(s, SET_KEY, id, key));
}

static uint64_t sqlite_find_key(struct store *store, uint64_t tube,
				const char *key)
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = bind_key(s, FIND_KEY, tube, key);
	uint64_t id = step(s, statement) ?
		sqlite3_column_int64(statement, 0) : 0;

	sqlite3_reset(statement);
	return id;
}

static bool sqlite_get(struct store *store, uint64_t id, struct job_record *rec)
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = bind(s, GET, &id, 1);
	bool found = step(s, statement);

	if (found)
		read_record(statement, rec);
	sqlite3_reset(statement);
	return found;
}

static bool matches(sqlite3_stmt *statement, uint64_t id)
{
	return sqlite3_column_int64(statement, 1) ==
	       columns_checksum(id, sqlite3_column_blob(statement, 0),
				sqlite3_column_bytes(statement, 0));
}

static bool sqlite_body(struct store *store, uint64_t id, void *body,
			size_t size)
{
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = bind(s, BODY, &id, 1);
	bool is_good;

	if (!step(s, statement) ||
	    (size_t)sqlite3_column_bytes(statement, 0) != size)
		fail(EXIT_FAILED, "%s: the body of job %llu is missing or damaged",
		     s->path, (unsigned long long)id);
	is_good = matches(statement, id);
	if (size)
		memcpy(body, sqlite3_column_blob(statement, 0), size);
	sqlite3_reset(statement);
	return is_good;
}

static size_t sqlite_scan(struct store *store, uint64_t tube,
			  enum job_state state, const struct job_key *from,
			  struct job_record *recs, size_t count)
{
	const uint64_t all[] = {
		tube, state, from->rank, from->due, from->id, count,
	};
	struct sqlite *s = sqlite_of(store);
	sqlite3_stmt *statement = bind(s, SCAN, all, 6);
	size_t found = 0;

	while (step(s, statement))
		read_record(statement, &recs[found++]);
	sqlite3_reset(statement);
	return found;
}

static uint64_t sqlite_bytes(struct store *store)
{
	struct sqlite *s = sqlite_of(store);

	return (number_of(s, PAGES) - number_of(s, FREE_PAGES)) * s->page;
}

/*
 * While the disk is full, a job takes pages that deleted jobs have left. The margin is for
 * changes of other jobs, which may split pages of the index.
 */
static bool fits_in_free_pages(struct sqlite *s, size_t bytes)
{
	uint64_t margin = s->store.batch;

	return number_of(s, FREE_PAGES) * s->page > margin + 2 * bytes;
}

/* Check occasionally whether the program that reads has ended. */
static bool log_has_room(struct sqlite *s)
{
	if (s->log < LOG_LIMIT * s->log_most)
		return true;
	if (!s->has_changes && s->refused++ % REFUSED_BATCH == 0)
		empty_log(s);
	return s->log < LOG_LIMIT * s->log_most;
}

/* A large job is written to the log and to the store. */
static bool sqlite_has_room(struct store *store, size_t bytes)
{
	struct sqlite *s = sqlite_of(store);

	if (s->reserve.is_full && s->refused++ % REFUSED_BATCH == 0)
		reserve_fill(&s->reserve);
	if (!log_has_room(s))
		return false;
	if (s->reserve.is_full)
		return bytes < store->batch && fits_in_free_pages(s, bytes);
	s->refused = 0;
	return bytes < store->batch ||
	       reserve_available(&s->reserve) > 3 * bytes;
}

static bool sqlite_is_full(struct store *store)
{
	return sqlite_of(store)->reserve.is_full;
}

const struct store_ops sqlite_ops = {
	.close = sqlite_close,
	.numbers = sqlite_numbers,
	.set_numbers = sqlite_set_numbers,
	.tubes = sqlite_tubes,
	.limits = sqlite_limits,
	.set_limit = sqlite_set_limit,
	.set_tube = sqlite_set_tube,
	.count = sqlite_count,
	.put = sqlite_put,
	.change = sqlite_change,
	.remove = sqlite_remove,
	.set_key = sqlite_set_key,
	.find_key = sqlite_find_key,
	.get = sqlite_get,
	.body = sqlite_body,
	.scan = sqlite_scan,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.has_room = sqlite_has_room,
	.is_full = sqlite_is_full,
	.bytes = sqlite_bytes,
};
