/* SPDX-License-Identifier: MIT */
/*
 * Keys whose expiry has changed. A command may not be disturbed while it runs,
 * and to open a key may delete it; so its name is kept, and Redis is asked for
 * the new time before it sleeps.
 */
#ifndef LOOK_H
#define LOOK_H

#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleString;

void look_later(struct RedisModuleString *name, uint16_t home);
void look_now(struct RedisModuleCtx *ctx);
/* Forgets them. */
void look_drop(void);

#endif
