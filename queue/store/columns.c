// SPDX-License-Identifier: MIT
#include "columns.h"

#include <endian.h>
#include <string.h>

#include "crc32c.h"
#include "fail.h"

#define KICKS	(COLUMN_COUNT - 1)
#define CHECKSUM_SHIFT	32

/* @kicks without the checksum. */
static uint64_t with_checksum(const uint64_t values[COLUMN_COUNT], uint32_t kicks)
{
	uint64_t little[COLUMN_COUNT];
	int i;

	for (i = 0; i < COLUMN_COUNT; i++)
		little[i] = htole64(i == KICKS ? kicks : values[i]);
	return (uint64_t)crc32c(0, little, sizeof(little)) << CHECKSUM_SHIFT | kicks;
}

uint32_t columns_checksum(uint64_t id, const void *body, size_t size)
{
	uint64_t little = htole64(id);

	return crc32c(crc32c(0, &little, sizeof(little)), body, size);
}

void columns_write(const struct job_record *rec, uint64_t values[COLUMN_COUNT])
{
	const uint64_t all[COLUMN_COUNT] = {
		rec->id, rec->tube, rec->state, rec->rank, rec->due,
		rec->created, rec->delay, rec->ttr, rec->pri, rec->reserves,
		rec->timeouts, rec->releases, rec->buries, rec->kicks,
	};

	memcpy(values, all, sizeof(all));
	values[KICKS] = with_checksum(values, rec->kicks);
}

void columns_read(struct job_record *rec, const uint64_t values[COLUMN_COUNT + 1])
{
	int i = 0;

	rec->id = values[i++];
	rec->tube = values[i++];
	rec->state = values[i++];
	rec->rank = values[i++];
	rec->due = values[i++];
	rec->created = values[i++];
	rec->delay = values[i++];
	rec->ttr = values[i++];
	rec->pri = values[i++];
	rec->reserves = values[i++];
	rec->timeouts = values[i++];
	rec->releases = values[i++];
	rec->buries = values[i++];
	rec->kicks = values[i++];
	rec->size = values[i++];
	if (rec->state <= JOB_NONE || rec->state >= JOB_STATES)
		fail(EXIT_FAILED,
		     "the store is damaged: job %llu has the unknown state %u; delete its row; exiting",
		     (unsigned long long)rec->id, rec->state);
	if (values[KICKS] != with_checksum(values, rec->kicks))
		fail(EXIT_FAILED,
		     "the store is damaged: job %llu does not match its checksum; delete its row; exiting",
		     (unsigned long long)rec->id);
}
