/* SPDX-License-Identifier: MIT */
/*
 * What time does to jobs: they become due, and leases end.
 */
#ifndef TRANSITION_H
#define TRANSITION_H

#include "queue.h"

/* A job's alarm rings. */
void job_timer_expired(struct timer *timer);
/* A worker takes a job that is in memory. */
void reserve_job(struct queue *queue, struct job *job, struct worker *worker);
/* A lease begins again. */
void touch_job(struct queue *queue, struct job *job);
/* A lease ends; the job comes to a state. */
void end_reservation(struct queue *queue, struct job *job, enum job_state state);
/* The store hears of a lease. */
void save_reservation(struct queue *queue, struct job *job);
/* The store has not heard of some leases: it hears of some now. */
void save_reservations(struct queue *queue);

#endif
