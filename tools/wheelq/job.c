// SPDX-License-Identifier: MIT
#include "job.h"

bool job_key_before(const struct job_key *a, const struct job_key *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->due != b->due)
		return a->due < b->due;
	return a->id < b->id;
}

struct job_key job_key(const struct job_record *rec)
{
	return (struct job_key){ rec->rank, rec->due, rec->id };
}
