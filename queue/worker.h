/* SPDX-License-Identifier: MIT */
/*
 * Workers: connections that watch tubes, wait for jobs and reserve them.
 */
#ifndef WORKER_H
#define WORKER_H

#include "tube.h"

/**
 * struct watch - a tube that a worker watches
 * @of_worker: node in the worker's list, in the order of the watch commands
 * @waiting: node in the tube's list of waiting workers
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
 * struct worker - the part of a connection that reserves jobs
 * @watches: the watched tubes
 * @reserved: the jobs that it has reserved
 * @watching: number of @watches
 * @is_waiting: true if it waits for a job
 */
struct worker {
	TAILQ_HEAD(, watch) watches;
	LIST_HEAD(, job) reserved;
	unsigned int watching;
	bool is_waiting;
};

void worker_init(struct worker *worker);
/* Free the lists of a worker that has reserved no job. */
void worker_clear(struct worker *worker);
/* Return: false if the tube was already watched. */
bool worker_watch(struct worker *worker, struct tube *tube);
/* Return: false if the tube was not watched. */
bool worker_ignore(struct worker *worker, struct tube *tube);
void worker_wait(struct worker *worker);
void worker_stop_waiting(struct worker *worker);
/* The first deadline_at of its reserved jobs, UINT64_MAX if it has none. */
uint64_t worker_deadline(const struct worker *worker);

#endif
