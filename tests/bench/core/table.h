/* SPDX-License-Identifier: GPL-2.0 */
/* The results and the functions that print them. */
#ifndef _BENCH_TABLE_H
#define _BENCH_TABLE_H

#include "contestant.h"

#define MOST_REPEATS	5

/* Indices: OURS wheels of this project, then other implementations, the field and the floor. */
#define CONTESTANTS	11
#define OURS		3
#define FIELD		9
#define FLOOR		10

enum operation { ARM, REARM, IDLE, CANCEL, SWEEP, BURST, OPERATIONS };

/**
 * struct results - results for one number of timers
 * @count: number of timers
 * @repeats: number of samples, without the first one, which only warms up
 * @rounds: number of rounds in each sample
 * @sample: nanoseconds for one operation on each timer, in all rounds of the sample
 */
struct results {
	u32 count;
	u32 repeats;
	u32 rounds;
	u64 sample[CONTESTANTS][OPERATIONS][MOST_REPEATS + 1];
};

/* An entry is NULL if its library is not installed. */
extern const struct contestant *const contestants[CONTESTANTS];

extern const char *const table_operations[OPERATIONS];

void csv_rows(const struct results *results);
void table_head(void);
void table_rows(struct results *results);
void table_foot(void);

#endif
