// SPDX-License-Identifier: MIT
#include "worker.h"

#include <stdlib.h>

#include "fail.h"

void worker_init(struct worker *worker)
{
	*worker = (struct worker){ 0 };
	TAILQ_INIT(&worker->watches);
	LIST_INIT(&worker->reserved);
}

static struct watch *find(struct worker *worker, const struct tube *tube)
{
	struct watch *watch;

	TAILQ_FOREACH(watch, &worker->watches, of_worker)
		if (watch->tube == tube)
			return watch;
	return NULL;
}

bool worker_watch(struct worker *worker, struct tube *tube)
{
	struct watch *watch;

	if (find(worker, tube))
		return false;
	watch = zeroed(1, sizeof(*watch));
	watch->tube = tube;
	watch->worker = worker;
	TAILQ_INSERT_TAIL(&worker->watches, watch, of_worker);
	worker->watching++;
	tube->watchers++;
	return true;
}

static void forget(struct worker *worker, struct watch *watch)
{
	struct tube *tube = watch->tube;

	TAILQ_REMOVE(&worker->watches, watch, of_worker);
	worker->watching--;
	tube->watchers--;
	free(watch);
	tube_drop(tube);
}

bool worker_ignore(struct worker *worker, struct tube *tube)
{
	struct watch *watch = find(worker, tube);

	if (watch)
		forget(worker, watch);
	return watch;
}

void worker_clear(struct worker *worker)
{
	worker_stop_waiting(worker);
	while (!TAILQ_EMPTY(&worker->watches))
		forget(worker, TAILQ_FIRST(&worker->watches));
}

void worker_wait(struct worker *worker)
{
	struct watch *watch;

	worker->is_waiting = true;
	TAILQ_FOREACH(watch, &worker->watches, of_worker) {
		TAILQ_INSERT_TAIL(&watch->tube->waiting, watch, waiting);
		watch->tube->waiters++;
		tube_add_pending(watch->tube);
	}
}

void worker_stop_waiting(struct worker *worker)
{
	struct watch *watch;

	if (!worker->is_waiting)
		return;
	worker->is_waiting = false;
	TAILQ_FOREACH(watch, &worker->watches, of_worker) {
		TAILQ_REMOVE(&watch->tube->waiting, watch, waiting);
		watch->tube->waiters--;
	}
}

uint64_t worker_deadline(const struct worker *worker)
{
	uint64_t end = UINT64_MAX;
	struct job *job;

	LIST_FOREACH(job, &worker->reserved, reserved)
		if (job->deadline_at < end)
			end = job->deadline_at;
	return end;
}
