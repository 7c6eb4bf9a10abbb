/* SPDX-License-Identifier: MIT */
/*
 * The window: which jobs are in memory.
 *
 * Of each tube and state the jobs before tube->far are in memory, the others are
 * in the store alone. Reserved jobs are always in memory, buried ones never.
 */
#ifndef CACHE_H
#define CACHE_H

#include "queue.h"

/* A job of memory, or brought there to be dealt with; NULL: there is none. */
struct job *cache_fetch(struct queue *queue, uint64_t id);
struct job *cache_find(struct queue *queue, uint64_t id);
/* A job in memory, of a state that it has just come to: it stays or leaves. */
void cache_settle(struct queue *queue, struct job *job);
/* The same, after its change is stored, for which an answer waits. */
void cache_keep(struct queue *queue, struct job *job);
/* A delayed job in memory is due: make it ready. */
void cache_enqueue_due(struct queue *queue, struct job *job);
/* Out of memory; the store has it, or it is no more. */
void cache_forget(struct queue *queue, struct job *job);
/* Write what a job is ahead of the store. */
void cache_save(struct queue *queue, struct job *job);
/* The first of all that a tube has ready, loaded if need be; or NULL. */
struct job *cache_first(struct queue *queue, struct tube *tube);
/* Load the jobs that become due soon. Return: true if there is more to load. */
bool cache_work(struct queue *queue);
/* A job of which the record was read from the store. */
struct job *cache_load(struct queue *queue, struct tube *tube,
			const struct job_record *rec);
/* The tube that a job of the store belongs to. */
struct tube *cache_tube(struct queue *queue, uint64_t number);
/* A tube whose jobs are all in the store. */
void cache_open(struct tube *tube);

#endif
