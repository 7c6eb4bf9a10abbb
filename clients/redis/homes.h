/* SPDX-License-Identifier: MIT */
/*
 * Databases and their numbers. SWAPDB exchanges the numbers of two databases; a
 * home is a database by the number that it had when the module was loaded, so
 * what is kept by home stays right.
 */
#ifndef HOMES_H
#define HOMES_H

#include <stdint.h>

struct RedisModuleCtx;

void homes_init(struct RedisModuleCtx *ctx);
void homes_exit(void);
uint16_t homes_count(void);
/* The home that is database @db now, and back. */
uint16_t home_of(int db);
int home_db(uint16_t home);
void homes_swap(int first, int second);

#endif
