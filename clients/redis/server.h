/* SPDX-License-Identifier: MIT */
/*
 * State of the server that it does not report to modules: open transactions, and DEBUG
 * SET-ACTIVE-EXPIRE. It is derived from the commands read, and from the server's statistics.
 *
 * A transaction executes its commands long after they were read, or never. A command filter
 * does not receive the client of a command, so an EXEC cannot be assigned to a MULTI. The
 * number of successful EXEC and DISCARD commands shows whether all transactions have ended.
 * If it does not, the list of clients does.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleCommandFilterCtx;

/* Forgets everything: transactions may be open. */
void transactions_init(void);
/* A MULTI is about to run. */
void transactions_begun(void);
bool transactions_may_be_open(void);
/* A command that was read in another round is in no open transaction. */
unsigned int transactions_round(void);
/*
 * Checks for open transactions, at a limited rate. In between it returns true. Each call
 * counts as a check of a key that is necessary only because of a transaction.
 */
bool transactions_are_open(struct RedisModuleCtx *ctx);
/* Keyspace notifications would be cheaper than further checks. */
bool transactions_cost_too_much(void);
/* From now on transactions are treated as closed. */
void transactions_ignore(void);

/*
 * A command of three words is about to run. Returns true if it is a DEBUG SET-ACTIVE-EXPIRE,
 * which tests use to stop the deletion of expired keys.
 */
bool debug_read(struct RedisModuleCommandFilterCtx *command);
bool debug_lets_expire(void);

/*
 * Suspends the server's own scan for expired keys, or lets it continue. While many keys are
 * overdue, the scan takes up to 250 ms / hz at a time.
 */
void server_own_expiry(struct RedisModuleCtx *ctx, bool wanted);

/* True if the server keeps expired keys, because another one decides: Valkey's import mode. */
bool server_imports(struct RedisModuleCtx *ctx);

/* Writes a warning to the server's log. */
void server_log(const char *message);
/* Adds a sample to the server's latency monitor, if it exceeds the monitor's threshold. */
void server_note_latency(struct RedisModuleCtx *ctx, const char *event, int64_t us);

#endif
