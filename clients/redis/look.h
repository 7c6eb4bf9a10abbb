/* SPDX-License-Identifier: MIT */
/*
 * Keys of which a command did not say when they expire. A command may not be disturbed
 * while it runs, and to open a key may delete it; so its name is kept, and Redis is asked
 * before it sleeps.
 */
#ifndef LOOK_H
#define LOOK_H

#include <stdbool.h>

struct RedisModuleCtx;
struct RedisModuleString;

void look_later(struct RedisModuleString *name);
/* There are names for look_now(). */
bool look_is_wanted(void);
void look_now(struct RedisModuleCtx *ctx);
/* Forgets them. */
void look_drop(void);

#endif
