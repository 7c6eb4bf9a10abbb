/* SPDX-License-Identifier: MIT */
/*
 * Hints: a command that is going to run tells of a key's time to live. To read that costs a
 * fifth of what it costs Redis to notify us. A command that is refused is a hint in vain:
 * keys are looked at before anything happens to them. So is for a while one that waits for
 * its transaction to be executed: its key is looked at again while one may be open.
 */
#ifndef HINT_H
#define HINT_H

#include <stdbool.h>

struct RedisModuleCommandFilterCtx;
struct RedisModuleCtx;
struct RedisModuleString;

/* Does each command that is read have its own name here? Else it cannot be read. */
bool hint_knows_all(struct RedisModuleCtx *ctx);
enum hint {
	HINT_OF_NOTHING,
	/* A key may expire that did not before, or sooner. */
	HINT_OF_KEY,
	/* The same, in a transaction perhaps, and its name is too long to be kept for so long. */
	HINT_TOO_LONG,
};

/* A command of so many words is going to run. */
enum hint hint_read(struct RedisModuleCommandFilterCtx *command, int words);
/* Was the command that was read last about this very key? */
bool hint_was_of(const struct RedisModuleString *name);

#endif
