/* SPDX-License-Identifier: MIT */
/*
 * Transitions of jobs in memory: due, reserved, time-to-run expired.
 */
#ifndef TRANSITION_H
#define TRANSITION_H

#include "queue.h"

/* The timer of a job has expired. */
void job_timer_expired(struct timer *timer);
/* Reserve a job in memory. */
void reserve_job(struct queue *queue, struct job *job, struct worker *worker);
/* Restart the TTR of a reserved job. */
void touch_job(struct queue *queue, struct job *job);
/* End a reservation; the job gets a new state. */
void end_reservation(struct queue *queue, struct job *job, enum job_state state);
/* Store a reservation. */
void save_reservation(struct queue *queue, struct job *job);
/* Store a batch of reservations that are not stored. */
void save_reservations(struct queue *queue);

#endif
