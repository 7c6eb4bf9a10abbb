/* SPDX-License-Identifier: MIT */
/*
 * The columns of a job, which both SQL stores have in this order.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "job.h"

/* All columns with numbers, after the id. */
#define COLUMNS		"tube, state, rank, due, created, delay, ttr, pri, reserves, timeouts, releases, buries, kicks"
/* With the id. */
#define COLUMN_COUNT	14

/* @values: the id, COLUMNS. */
void columns_write(const struct job_record *rec, uint64_t values[COLUMN_COUNT]);
/* @values: the id, COLUMNS, and the size of the body. Exits if they are invalid. */
void columns_read(struct job_record *rec, const uint64_t values[COLUMN_COUNT + 1]);

#endif
