/* SPDX-License-Identifier: MIT */
/*
 * The store in a file, for its own sources.
 */
#ifndef SQLITE_H
#define SQLITE_H

#include <sqlite3.h>

#include "store.h"

enum statement {
	PUT, CHANGE, REMOVE, GET, BODY, SCAN, NUMBERS, SET_NUMBERS,
	TUBES, SET_TUBE, FORGET_TUBE, PAGES, FREE_PAGES, BEGIN, COMMIT, STATEMENTS,
};

/**
 * struct sqlite - an open file
 * @store: what others see
 * @db: SQLite's
 * @path: for what is said
 * @statements: prepared
 * @lock: a file that is locked while this one is open
 * @page: bytes of one
 * @bytes: of the pages that are in use, as of the last commit
 * @is_open: a transaction is
 */
struct sqlite {
	struct store store;
	struct sqlite3 *db;
	char *path;
	struct sqlite3_stmt *statements[STATEMENTS];
	int lock;
	uint64_t page;
	uint64_t bytes;
	bool is_open;
};

extern const struct store_verbs sqlite_verbs;
extern const char *const sqlite_statements[STATEMENTS];

/* Find out how many bytes are in use. */
void sqlite_count_bytes(struct sqlite *s);

/* What SQLite says, and the end. */
__attribute__((noreturn))
void sqlite_broken(struct sqlite *s);

#endif
