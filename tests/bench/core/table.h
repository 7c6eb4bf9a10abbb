/* SPDX-License-Identifier: GPL-2.0 */
/* The measurements, and how they are printed. */
#ifndef _BENCH_TABLE_H
#define _BENCH_TABLE_H

#include "contestant.h"

#define MOST_REPEATS	5

/* First ours, then the rivals; those that keep no time, the field and the floor. */
#define CONTESTANTS	13
#define OURS		3
#define FIELD		11
#define FLOOR		12

enum operation { ARM, REARM, IDLE, CANCEL, SWEEP, BURST, OPERATIONS };

/**
 * struct results - of one number of timers
 * @count: that number
 * @repeats: how often all was measured; a first time, which only warms up, is not
 *	among them
 * @rounds: how often in each repeat
 * @sample: nanoseconds for an operation on each timer
 */
struct results {
	u32 count;
	u32 repeats;
	u32 rounds;
	u64 sample[CONTESTANTS][OPERATIONS][MOST_REPEATS + 1];
};

/* Those that are there; NULL where a library is missing. */
extern const struct contestant *const contestants[CONTESTANTS];

extern const char *const table_operations[OPERATIONS];

void csv_rows(const struct results *results);
void table_head(void);
void table_rows(struct results *results);
void table_foot(void);

#endif
