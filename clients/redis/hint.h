/* SPDX-License-Identifier: MIT */
/*
 * The usual commands say themselves how long a key is to live. To read that
 * before they run costs a tenth of what it costs to ask Redis afterwards.
 */
#ifndef HINT_H
#define HINT_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCommandFilterCtx;
struct RedisModuleString;

/* A command of so many words is going to run: what it says holds until the next one. */
void hint_read(struct RedisModuleCommandFilterCtx *command, int words);
/*
 * That command has given this key a time to live. False: it is not known how
 * long. *@expires_ms may be a millisecond too early; INT64_MAX: beyond the horizon.
 */
bool hint_take(const struct RedisModuleString *name, int64_t *expires_ms);

#endif
