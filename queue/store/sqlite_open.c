// SPDX-License-Identifier: MIT
/*
 * Open the file of a store. Verify its type and version, and that no other server uses it.
 */
#include "sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "fail.h"

/* "wlq1". It identifies a database of wheelq, also for file(1). */
#define APPLICATION	0x776c7131
/* Of the tables. */
#define TABLES_VERSION	5
/* KiB of pages in memory, regardless of the size of the store. */
#define CACHE_KIB	"-31744"
/*
 * Puts with different delays change different pages of the index. Each changed page is
 * written as a whole, to the log and later to the store, so pages are small. A store
 * keeps the page size that it was created with.
 */
#define PAGE_BYTES	"1024"

/* In one transaction: after a crash, the file is still empty. */
static const char schema[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE job(id INTEGER PRIMARY KEY, tube INTEGER,\n"
	"  state INTEGER, rank INTEGER, due INTEGER, created INTEGER,\n"
	"  delay INTEGER, ttr INTEGER, pri INTEGER, reserves INTEGER,\n"
	"  timeouts INTEGER, releases INTEGER, buries INTEGER,\n"
	"  kicks INTEGER, body BLOB, crc INTEGER, key TEXT);"
	"CREATE INDEX place ON job(tube, state, rank, due);"
	"CREATE INDEX by_key ON job(tube, key) WHERE key IS NOT NULL;"
	"CREATE TABLE tube(number INTEGER PRIMARY KEY, name TEXT UNIQUE,\n"
	"  delayed INTEGER, timed INTEGER, ready INTEGER,\n"
	"  reserved INTEGER, buried INTEGER);"
	"CREATE TABLE tube_limit(name TEXT PRIMARY KEY, reserved INTEGER, rate INTEGER);"
	"CREATE TABLE numbers(one INTEGER PRIMARY KEY, next_id INTEGER, skew INTEGER,\n"
	"  clock INTEGER, counted INTEGER, boot INTEGER, ahead INTEGER);"
	"INSERT INTO numbers VALUES(1, 1, 0, 0, 1, 0, 0);"
	"PRAGMA application_id=" STORE_TEXT(APPLICATION) ";"
	"PRAGMA user_version=" STORE_TEXT(TABLES_VERSION) ";"
	"COMMIT";

static void execute(struct sqlite *s, const char *sql)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL))
		sqlite_broken(s);
}

/* The result of a query that returns one number. */
static int64_t number_of(struct sqlite *s, const char *sql)
{
	sqlite3_stmt *statement;
	int64_t number;

	if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) ||
	    sqlite3_step(statement) != SQLITE_ROW)
		sqlite_broken(s);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

static void check_schema(struct sqlite *s)
{
	int64_t application = number_of(s, "PRAGMA application_id");
	int64_t version = number_of(s, "PRAGMA user_version");
	bool is_empty = !application &&
			!number_of(s, "SELECT count(*) FROM sqlite_schema");

	if (application != APPLICATION && !is_empty)
		fail(EXIT_FAILED, "%s: the database belongs to another program",
		     s->path);
	if (is_empty)
		execute(s, schema);
	else if (version != TABLES_VERSION)
		fail(EXIT_FAILED, "%s: " STORE_OTHER_VERSION, s->path, (long long)version,
		     TABLES_VERSION);
}

/*
 * Two servers with one file would serve each job twice. The inode is locked, because a file may
 * have several names. SQLite's own locks cannot be used: they would keep other programs from
 * reading, for a copy. The descriptor stays open, because closing it would end SQLite's locks.
 */
static void take_lock(struct sqlite *s)
{
	char *real;

	s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock < 0 || fstat(s->lock, &s->file))
		fail(EXIT_FAILED, "%s: %s", s->path, strerror(errno));
	if (flock(s->lock, LOCK_EX | LOCK_NB))
		fail(EXIT_FAILED, "%s: in use by another wheelq", s->path);
	/* SQLite's log is next to the file that a symbolic link refers to. */
	real = realpath(s->path, NULL);
	if (!real)
		fail(EXIT_FAILED, "%s: %s", s->path, strerror(errno));
	s->log_path = sqlite3_mprintf("%s-wal", real);
	free(real);
}

__attribute__((noreturn))
static void has_no_log(const struct sqlite *s)
{
	fail(EXIT_FAILED,
	     "%s: SQLite has no write-ahead log there, so commits would not survive a crash; use a file on a local disk",
	     s->path);
}

/* Without a log, SQLite returns another mode. */
static void use_log(struct sqlite *s)
{
	sqlite3_stmt *mode;

	if (sqlite3_prepare_v2(s->db, "PRAGMA journal_mode=WAL", -1, &mode, NULL) ||
	    sqlite3_step(mode) != SQLITE_ROW)
		sqlite_broken(s);
	if (strcmp((const char *)sqlite3_column_text(mode, 0), "wal"))
		has_no_log(s);
	sqlite3_finalize(mode);
}

static int note_log(void *context, sqlite3 *db, const char *name, int pages)
{
	struct sqlite *s = context;

	(void)db;
	(void)name;
	s->log = pages;
	return SQLITE_OK;
}

/* Nothing may be written before the reserve of an earlier server has been opened. */
static void limit_log(struct sqlite *s)
{
	uint64_t part = s->reserve.wanted / SQLITE_RESERVE_PARTS;

	char *limit = sqlite3_mprintf("PRAGMA journal_size_limit=%lld",
				      (long long)(6 * part));

	s->log_most = 4 * part / s->page;
	s->store.batch = part;
	execute(s, limit);
	sqlite3_free(limit);
}

static void set_up(struct sqlite *s)
{
	execute(s, "PRAGMA page_size=" PAGE_BYTES);
	use_log(s);
	execute(s, "PRAGMA synchronous=FULL;"
		   "PRAGMA secure_delete=OFF;"
		   "PRAGMA cache_size=" CACHE_KIB);
	s->page = number_of(s, "PRAGMA page_size");
	sqlite3_wal_hook(s->db, note_log, s);
	limit_log(s);
}

static sqlite3_pcache_methods2 page_cache;
static unsigned int last_page;

static sqlite3_pcache_page *page_fetch(sqlite3_pcache *cache, unsigned int page, int create)
{
	if (create && page > last_page)
		last_page = page;
	return page_cache.xFetch(cache, page, create);
}

/*
 * After each commit, SQLite discards the pages after the end of the file. A commit that has split
 * a page has also used the number of a page far behind the end for a moment, for which the default
 * cache would scan its hash table: 50 us with 31,000 pages. With 400,000 jobs within the horizon, a
 * single put therefore takes 0.6 to 0.7 of the CPU time.
 */
static void page_truncate(sqlite3_pcache *cache, unsigned int from)
{
	if (from <= last_page)
		page_cache.xTruncate(cache, from);
}

static bool configure_pages(void)
{
	sqlite3_pcache_methods2 methods;

	if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &page_cache))
		return false;
	methods = page_cache;
	methods.xFetch = page_fetch;
	methods.xTruncate = page_truncate;
	return !sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}

/* Disable locks and memory accounting as well. Must precede all other calls of SQLite. */
static void configure_sqlite(void)
{
	static bool is_done;

	if (!is_done && (sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) ||
			 sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) || !configure_pages()))
		fail(EXIT_FAILED, "cannot configure SQLite");
	is_done = true;
}

struct store *sqlite_open(const char *path)
{
	struct sqlite *s = zeroed(1, sizeof(*s));
	int i;

	s->store.ops = &sqlite_ops;
	s->path = copied(path);
	configure_sqlite();
	/* For example :memory:, which is not a file. */
	if (*path == ':')
		has_no_log(s);
	take_lock(s);
	reserve_open(&s->reserve, path);
	vfs_register(&s->reserve);
	if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE |
			    SQLITE_OPEN_CREATE, VFS_NAME))
		sqlite_broken(s);
	sqlite3_extended_result_codes(s->db, 1);
	set_up(s);
	check_schema(s);
	for (i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v3(s->db, sqlite_statements[i], -1,
				       SQLITE_PREPARE_PERSISTENT,
				       &s->statements[i], NULL))
			sqlite_broken(s);
	sqlite_stay(s);
	reserve_fill(&s->reserve);
	return &s->store;
}
