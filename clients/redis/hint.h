/* SPDX-License-Identifier: MIT */
/*
 * Hints: keys whose TTL a command is about to change. Reading the TTL from the command before
 * it runs costs one fifth of a keyspace notification. The command may still fail, so a hint is
 * never trusted: the module checks the key in the server before it acts. The same applies to a
 * command queued by MULTI. Its key is checked repeatedly while the transaction may be open.
 *
 * Some commands, such as RENAME, do not contain the TTL. The name of their key is kept, and
 * looked up after the command.
 */
#ifndef HINT_H
#define HINT_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCommandFilterCtx;
struct RedisModuleCtx;
struct RedisModuleString;

enum hint {
	/* The command sets no TTL within the horizon. */
	HINT_NONE,
	/* A key without TTL may get one, or a key may expire earlier. */
	HINT_KEY,
	/* As HINT_KEY, possibly in a transaction, but the name is too long to be kept. */
	HINT_TOO_LONG,
};

/* Returns true if no command that sets a TTL has been renamed, or is unknown here. */
bool hint_is_possible(struct RedisModuleCtx *ctx);
/* A command of @words words is about to run. */
enum hint hint_read(struct RedisModuleCommandFilterCtx *command, int words);
/* Returns true if @name is the key of the last command read: the same object. */
bool hint_was_of(const struct RedisModuleString *name);

/* The key of the last command read is in the database @db. */
void hint_note_db(struct RedisModuleString *name, uint16_t db);
/*
 * Keeps a name of the database @db, or DB_ANY, for hint_lookup(). A command may not be disturbed
 * while it runs.
 */
void hint_look_later(struct RedisModuleString *name, uint16_t db);
bool hint_lookup_is_wanted(void);
/* Looks up some of the names. Returns true if there are more. */
bool hint_lookup(struct RedisModuleCtx *ctx);
/* Forgets the names. */
void hint_drop(void);

#endif
