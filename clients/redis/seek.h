/* SPDX-License-Identifier: MIT */
/*
 * A name, looked for in each database that has keys: a command says which key it is for,
 * and nobody tells us in which database.
 */
#ifndef SEEK_H
#define SEEK_H

#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleString;

/**
 * struct found - what became of the keys of one name
 * @expires_ms: when the first of them expires; INT64_MAX: none does
 * @gone: those that had expired, and that Redis has deleted now
 */
struct found {
	int64_t expires_ms;
	uint32_t gone;
};

void seek_init(void);
void seek_exit(void);
/* Before the first of several names, between which no command runs. */
void seek_begin(struct RedisModuleCtx *ctx);
struct found seek(struct RedisModuleCtx *ctx, struct RedisModuleString *name);

#endif
