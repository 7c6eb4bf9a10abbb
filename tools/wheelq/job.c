// SPDX-License-Identifier: MIT
#include "job.h"

#include "container.h"
#include "tube.h"

#define URGENT_BELOW	1024

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

static uint64_t is_urgent(const struct job *job)
{
	return job->rec.pri < URGENT_BELOW;
}

static struct heap *latest_of(const struct job *job)
{
	return &job->tube->tubes->latest[job->rec.state];
}

/* Update the first ready job of a tube, which is never evicted. */
static void update_first(struct tube *tube)
{
	struct job *first = job_first(tube);

	if (first == tube->first)
		return;
	if (tube->first)
		heap_add(latest_of(tube->first), &tube->first->latest);
	if (first)
		heap_remove(latest_of(first), &first->latest);
	tube->first = first;
}

void job_enter(struct job *job, struct tube *tube, enum job_state state)
{
	job->tube = tube;
	job->rec.tube = tube->number;
	job->rec.state = state;
	tube->tubes->loaded[state]++;
	if (state == JOB_READY)
		job->rec.rank = job->rec.pri;
	if (state <= JOB_READY)
		heap_add(latest_of(job), &job->latest);
	if (state != JOB_READY)
		return;
	heap_add(&tube->ready, &job->heap);
	update_first(tube);
	tube->urgent += is_urgent(job);
	tube_heat(tube);
}

void job_leave(struct job *job)
{
	struct tube *tube = job->tube;

	tube->tubes->loaded[job->rec.state]--;
	if (job == tube->first)
		tube->first = NULL;
	else if (job->rec.state <= JOB_READY)
		heap_remove(latest_of(job), &job->latest);
	if (job->rec.state != JOB_READY)
		return;
	heap_remove(&tube->ready, &job->heap);
	update_first(tube);
	tube->urgent -= is_urgent(job);
}

struct job *job_latest(const struct tubes *tubes, enum job_state state)
{
	struct heap_node *latest = heap_first(&tubes->latest[state]);

	return latest ? container_of(latest, struct job, latest) : NULL;
}

void job_move(struct job *job, enum job_state state)
{
	struct tube *tube = job->tube;

	tube_count(tube, job->rec.state, -1);
	job_leave(job);
	job->rec.rank = 0;
	job_enter(job, tube, state);
	tube_count(tube, state, 1);
}

struct job *job_first(const struct tube *tube)
{
	struct heap_node *first = heap_first(&tube->ready);

	return first ? container_of(first, struct job, heap) : NULL;
}
