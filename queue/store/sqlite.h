/* SPDX-License-Identifier: MIT */
/*
 * Internal declarations of the store in SQLite.
 */
#ifndef SQLITE_H
#define SQLITE_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "disk.h"
#include "store.h"

/*
 * When the disk is full, the reserve must hold the log (four parts) and one more transaction (one
 * part), and the same again when they are copied to the store. One part is added for space that the
 * file system and the log allocate in advance.
 */
#define SQLITE_RESERVE_PARTS	11

enum statement {
	PUT, CHANGE, REMOVE, SET_KEY, FIND_KEY, GET, BODY, SCAN, NUMBERS, SET_NUMBERS,
	TUBES, LIMITS, SET_LIMIT, DROP_LIMIT, SET_TUBE,
	FORGET_TUBE, COUNT, PAGES, FREE_PAGES, BEGIN, COMMIT, STAY,
	STATEMENTS,
};

/**
 * struct sqlite - an open file
 * @store: the public part
 * @db: the handle of SQLite
 * @path: its name
 * @log_path: name of the log
 * @file: the inode of @path
 * @log_file: the inode of @log_path; valid only if @has_log
 * @statements: prepared statements
 * @lock: a descriptor of the file, on which it is locked
 * @reserve: disk space for a full disk
 * @refused: number of puts that were rejected since the reserve was last filled
 * @page: page size in bytes
 * @log: number of pages in the log
 * @log_most: number of pages at which the log is copied to the store
 * @is_open: true if a transaction is open
 * @has_changes: true if it has changes
 * @has_log: true once @log_file is known
 */
struct sqlite {
	struct store store;
	struct sqlite3 *db;
	char *path;
	char *log_path;
	struct stat file;
	struct stat log_file;
	bool has_log;
	struct sqlite3_stmt *statements[STATEMENTS];
	int lock;
	struct reserve reserve;
	unsigned int refused;
	uint64_t page;
	int log;
	int log_most;
	bool is_open;
	bool has_changes;
};

extern const struct store_ops sqlite_ops;
extern const char *const sqlite_statements[STATEMENTS];

/*
 * Begin a read transaction that lasts until the log is emptied. Without it, each transaction
 * takes four system calls for locks.
 */
void sqlite_stay(struct sqlite *s);

/* Print SQLite's error, and exit. */
__attribute__((noreturn))
void sqlite_broken(struct sqlite *s);

#endif
