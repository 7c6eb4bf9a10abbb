// SPDX-License-Identifier: MIT
#include "oracle.h"

#include <stddef.h>

#include "fail.h"

struct oracle_job *oracle_put(struct oracle *o, uint64_t id, int tube,
			      const struct queue_job *put)
{
	struct oracle_job *job = &o->jobs[o->count++];
	uint64_t due = put->is_timed ? put->when : o->now + put->when;

	if (o->count > ORACLE_JOBS)
		fail(EXIT_FAILED, "too many jobs for the oracle");
	*job = (struct oracle_job){
		.id = id, .tube = tube, .pri = put->pri, .due = due,
		.ttr = put->ttr, .worker = NOBODY,
		.state = put->is_timed ? JOB_TIMED : JOB_DELAYED,
	};
	if (due <= o->now)
		job->state = JOB_READY;
	return job;
}

struct oracle_job *oracle_find(struct oracle *o, uint64_t id)
{
	int i;

	for (i = 0; i < o->count; i++)
		if (o->jobs[i].id == id)
			return &o->jobs[i];
	return NULL;
}

struct oracle_job *oracle_find_key(struct oracle *o, int tube, int key)
{
	int i;

	for (i = 0; i < o->count; i++)
		if (o->jobs[i].id && o->jobs[i].tube == tube &&
		    o->jobs[i].key == key)
			return &o->jobs[i];
	return NULL;
}

static struct job_key key_of(const struct oracle_job *job)
{
	struct job_key key = { 0, job->due, job->id };

	if (job->state == JOB_READY)
		key.rank = job->pri;
	if (job->state == JOB_BURIED)
		key.rank = job->buried;
	return key;
}

struct oracle_job *oracle_first(struct oracle *o, int tube,
				enum job_state state)
{
	struct oracle_job *first = NULL;
	struct job_key key, first_key;
	int i;

	for (i = 0; i < o->count; i++) {
		struct oracle_job *job = &o->jobs[i];

		if (!job->id || job->tube != tube || job->state != state)
			continue;
		key = key_of(job);
		if (first && !job_key_before(&key, &first_key))
			continue;
		first = job;
		first_key = key;
	}
	return first;
}

uint64_t oracle_count(const struct oracle *o, int tube, enum job_state state)
{
	uint64_t count = 0;
	int i;

	for (i = 0; i < o->count; i++)
		count += o->jobs[i].id && o->jobs[i].tube == tube &&
			 o->jobs[i].state == state;
	return count;
}

void oracle_lease(struct oracle *o, struct oracle_job *job, int worker)
{
	job->state = JOB_RESERVED;
	job->worker = worker;
	job->deadline_at = o->now + job->ttr;
}

static void end_lease(struct oracle_job *job)
{
	job->state = JOB_READY;
	job->worker = NOBODY;
}

void oracle_advance(struct oracle *o, uint64_t ms)
{
	int i;

	o->now += ms;
	for (i = 0; i < o->count; i++) {
		struct oracle_job *job = &o->jobs[i];

		if (!job->id)
			continue;
		if (job->state == JOB_RESERVED && job->deadline_at <= o->now)
			end_lease(job);
		if ((job->state == JOB_DELAYED || job->state == JOB_TIMED) &&
		    job->due <= o->now)
			job->state = JOB_READY;
	}
}

static uint64_t kick_state(struct oracle *o, int tube, enum job_state state,
			   uint64_t bound)
{
	struct oracle_job *job;
	uint64_t kicked = 0;

	while (kicked < bound && (job = oracle_first(o, tube, state))) {
		if (state != JOB_BURIED)
			job->due = o->now;
		job->state = JOB_READY;
		kicked++;
	}
	return kicked;
}

uint64_t oracle_kick(struct oracle *o, int tube, uint64_t bound)
{
	uint64_t kicked;

	if (oracle_first(o, tube, JOB_BURIED))
		return kick_state(o, tube, JOB_BURIED, bound);
	kicked = kick_state(o, tube, JOB_DELAYED, bound);
	return kicked + kick_state(o, tube, JOB_TIMED, bound - kicked);
}

void oracle_crash(struct oracle *o)
{
	int i;

	for (i = 0; i < o->count; i++)
		if (o->jobs[i].state == JOB_RESERVED)
			end_lease(&o->jobs[i]);
}
