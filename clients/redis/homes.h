/* SPDX-License-Identifier: MIT */
/*
 * Databases and their numbers. SWAPDB exchanges the numbers of two databases; a
 * home is a database by the number that it had when the module was loaded, so
 * a walk by homes passes each of them, however they are swapped.
 */
#ifndef HOMES_H
#define HOMES_H

#include <stdint.h>

struct RedisModuleCtx;

void homes_init(struct RedisModuleCtx *ctx);
void homes_exit(void);
uint16_t homes_count(void);
/* The number of a home now. */
int home_db(uint16_t home);
void homes_swap(int first, int second);
/* The keys of all databases. */
uint64_t homes_keys(struct RedisModuleCtx *ctx);

#endif
