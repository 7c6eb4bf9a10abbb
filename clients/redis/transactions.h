/* SPDX-License-Identifier: MIT */
/*
 * A transaction executes its commands long after they were read, or never. Redis does not
 * tell us of which client a command is, so no EXEC is known to end a transaction: we see
 * that one may have begun, and ask the server how many EXECs have succeeded; or, if these
 * are fewer, whether a client is amid one.
 */
#ifndef TRANSACTIONS_H
#define TRANSACTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCtx;

/* One may be open already: nothing is known of them. */
void transactions_init(void);
/* A MULTI is going to run. */
void transactions_begun(void);
bool transactions_may_be_open(void);
/* Other numbers mean: what was read in that round is in no transaction any more. */
unsigned int transactions_round(void);
/*
 * Asks the server, not too often: true may mean that it was not asked. Each call is a look
 * at a key that they make necessary.
 */
bool transactions_are_open(struct RedisModuleCtx *ctx);
/* To be notified of keys takes less by now than to look at those they may change. */
bool transactions_cost_too_much(void);
/* From now on they do not matter: as if none were open. */
void transactions_ignore(void);

#endif
