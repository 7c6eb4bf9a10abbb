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

/*
 * The last column, kicks, has the checksum of the others in its upper half. It comes before the
 * body, so SQLite does not have to read the body for it.
 */

/* @values: the id, COLUMNS. */
void columns_write(const struct job_record *rec, uint64_t values[COLUMN_COUNT]);
/* @values: the id, COLUMNS, and the size of the body. Exits if they are invalid. */
void columns_read(struct job_record *rec, const uint64_t values[COLUMN_COUNT + 1]);
/* Checksum of a body. The id is included, so that the body of another job does not match. */
uint32_t columns_checksum(uint64_t id, const void *body, size_t size);

#endif
