/* SPDX-License-Identifier: MIT */
/*
 * The store in a file, for its own sources.
 */
#ifndef SQLITE_H
#define SQLITE_H

#include <sqlite3.h>

#include "store.h"

/* The log is long, since most pages change again before they are written home. */
#define SQLITE_LOG_BYTES	(32 << 20)

enum statement {
	PUT, CHANGE, REMOVE, GET, BODY, SCAN, NUMBERS, SET_NUMBERS,
	TUBES, SET_TUBE, FORGET_TUBE, COUNT, PAGES, FREE_PAGES, BEGIN, COMMIT, STAY,
	STATEMENTS,
};

/**
 * struct sqlite - an open file
 * @store: what others see
 * @db: SQLite's
 * @path: for what is said
 * @statements: prepared
 * @lock: a file that is locked while this one is open
 * @page: bytes of one
 * @log: pages in the log as of the last commit
 * @is_open: a transaction is
 */
struct sqlite {
	struct store store;
	struct sqlite3 *db;
	char *path;
	struct sqlite3_stmt *statements[STATEMENTS];
	int lock;
	uint64_t page;
	int log;
	bool is_open;
};

extern const struct store_verbs sqlite_verbs;
extern const char *const sqlite_statements[STATEMENTS];

/*
 * Read, and go on reading until the log is emptied: else each transaction takes four
 * calls to lock what it reads, and to unlock it.
 */
void sqlite_stay(struct sqlite *s);

/* What SQLite says, and the end. */
__attribute__((noreturn))
void sqlite_broken(struct sqlite *s);

#endif
