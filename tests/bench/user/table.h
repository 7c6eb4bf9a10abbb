/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that print the tables.
 */
#ifndef _BENCH_TABLE_H
#define _BENCH_TABLE_H

#include "measure.h"

/* Columns. The first OURS are the wheels of this project. */
enum column { HASHED, HIERARCHICAL, TIMERFD, POSIX, URING, HEAP, FIELD, COLUMNS };

#define OURS	2

void print_head(void);
void print_rows(__u32 count, const struct figures *figures);
void print_csv(const char *mode, __u32 count,
	       const struct figures figures[ROUNDS][COLUMNS]);
void print_bars(__u32 count, const struct figures *figures);

#endif
