/* SPDX-License-Identifier: MIT */
/*
 * What time does to jobs: they become due, and leases end.
 */
#ifndef LIFE_H
#define LIFE_H

#include "queue.h"

/* A job's alarm rings. */
void life_rings(struct alarm *alarm);
/* A job was loaded: what has happened to it since it was stored? */
void life_goes_on(struct queue *queue, struct job *job);
/* A worker takes a job that is in memory. */
void life_take(struct queue *queue, struct job *job, struct worker *worker);
/* A lease begins again. */
void life_touch(struct queue *queue, struct job *job);
/* A lease ends; the job comes to a state. */
void life_end_lease(struct queue *queue, struct job *job, enum job_state state);
/* The store hears of a lease. */
void life_save_lease(struct queue *queue, struct job *job);
/* The store has not heard of some leases: it hears of some now. */
void life_save_leases(struct queue *queue);

#endif
