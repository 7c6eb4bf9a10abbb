/* SPDX-License-Identifier: MIT */
/*
 * The jobs in memory, and their transitions.
 *
 * By tube and state, the jobs before tube->on_disk are in memory; the others are only in the
 * store. Reserved jobs are always in memory, buried jobs never.
 */
#ifndef CACHE_H
#define CACHE_H

#include "queue.h"

/* Find a job in memory, or load it; NULL if it does not exist. */
struct job *cache_fetch(struct queue *queue, uint64_t id);
struct job *cache_find(struct queue *queue, uint64_t id);
/* Keep or evict a job in memory whose state has changed. */
void cache_settle(struct queue *queue, struct job *job);
/* Store a change that a client waits for, then keep or evict the job. */
void cache_keep(struct queue *queue, struct job *job);
/* A delayed job in memory is due: make it ready. */
void cache_enqueue_due(struct queue *queue, struct job *job);
/* Free a job in memory that is up to date in the store, or deleted. */
void cache_forget(struct queue *queue, struct job *job);
/* Store the changes of a job. */
void cache_save(struct queue *queue, struct job *job);
/* The first ready job of a tube, which is loaded if necessary, or NULL. */
struct job *cache_first(struct queue *queue, struct tube *tube);
/* Load the jobs that become due soon. Return: true if there is more to load. */
bool cache_work(struct queue *queue);
/* Add a job to memory that was read from the store. */
struct job *cache_load(struct queue *queue, struct tube *tube,
		       const struct job_record *rec);
/* The tube of a stored job. */
struct tube *cache_tube(struct queue *queue, uint64_t number);
/* None of the tube's jobs is in memory. */
void cache_open(struct tube *tube);

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
