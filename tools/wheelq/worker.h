/* SPDX-License-Identifier: MIT */
/*
 * Workers: they watch tubes, wait for jobs, and hold leases.
 */
#ifndef WORKER_H
#define WORKER_H

#include "tube.h"

/**
 * struct watch - a worker's interest in a tube
 * @of_worker: its place among those of the worker, in the order of watching
 * @waiting: its place among those who wait for a job of the tube
 * @tube: the tube
 * @worker: the worker
 */
struct watch {
	TAILQ_ENTRY(watch) of_worker;
	TAILQ_ENTRY(watch) waiting;
	struct tube *tube;
	struct worker *worker;
};

/**
 * struct worker - who takes jobs
 * @watches: the tubes to take from
 * @leases: the jobs it has
 * @watching: how many they are
 * @is_waiting: for a job
 */
struct worker {
	TAILQ_HEAD(, watch) watches;
	LIST_HEAD(, job) reserved;
	unsigned int watching;
	bool is_waiting;
};

void worker_init(struct worker *worker);
/* It holds no leases any more. */
void worker_clear(struct worker *worker);
/* Is it new? */
bool worker_watch(struct worker *worker, struct tube *tube);
/* Was it watched? */
bool worker_ignore(struct worker *worker, struct tube *tube);
void worker_wait(struct worker *worker);
void worker_stop_waiting(struct worker *worker);
/* When the first of its leases ends (ms of the queue's clock), UINT64_MAX: none. */
uint64_t worker_deadline(const struct worker *worker);

#endif
