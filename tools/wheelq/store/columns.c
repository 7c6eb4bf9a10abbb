// SPDX-License-Identifier: MIT
#include "columns.h"

#include <string.h>

#include "fail.h"

void columns_write(const struct job_record *rec, uint64_t values[COLUMN_COUNT])
{
	const uint64_t all[COLUMN_COUNT] = {
		rec->id, rec->tube, rec->state, rec->rank, rec->due,
		rec->created, rec->delay, rec->ttr, rec->pri, rec->reserves,
		rec->timeouts, rec->releases, rec->buries, rec->kicks,
	};

	memcpy(values, all, sizeof(all));
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
}
