/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables, printed.
 */
#ifndef _BENCH_TABLE_H
#define _BENCH_TABLE_H

#include "measure.h"

/* Columns, in this order; ours are the first two. */
enum column { HASHED, HIERARCHICAL, TIMERFD, POSIX, URING, HEAP, FIELD, COLUMNS };

#define OURS	2

void print_head(void);
void print_rows(__u32 count, const struct figures *figures);
void print_csv(const char *mode, __u32 count,
	       const struct figures figures[ROUNDS][COLUMNS]);
void print_bars(__u32 count, const struct figures *figures);

#endif
