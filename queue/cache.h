/* SPDX-License-Identifier: MIT */
/*
 * The jobs in memory.
 *
 * By tube and state, the jobs before tube->on_disk are in memory; the others are only in the
 * store. Reserved jobs are always in memory, buried jobs never.
 */
#ifndef CACHE_H
#define CACHE_H

#include "store.h"
#include "tube.h"

/**
 * struct cache - the jobs in memory
 * @store: all jobs
 * @timers: on both clocks
 * @tubes: all tubes
 * @expired: a delayed job is due, or the TTR of a reserved job has expired
 * @limit: limit on the number of jobs of each state in memory
 * @horizon: ms; delayed jobs that are due within this time are loaded
 * @jobs: the jobs in memory, by id
 * @refill: by clock, expires when jobs must be loaded
 * @refill_at: by clock, ms, the time for which @refill is set
 * @is_refilling: by clock, true while jobs up to the horizon are loaded
 */
struct cache {
	struct store *store;
	struct timers *timers;
	struct tubes *tubes;
	void (*expired)(struct timer *timer);
	uint32_t limit;
	uint64_t horizon;
	struct table jobs;
	struct timer refill[CLOCKS];
	uint64_t refill_at[CLOCKS];
	bool is_refilling[CLOCKS];
};

/* The caller has set @store, @timers, @tubes, @expired, @limit and @horizon. */
void cache_open(struct cache *cache);
void cache_close(struct cache *cache);
/* None of the tube's jobs is in memory. */
void cache_open_tube(struct tube *tube);

/* Find a job in memory, or load it; NULL if it does not exist. */
struct job *cache_fetch(struct cache *cache, uint64_t id);
struct job *cache_find(struct cache *cache, uint64_t id);
/* Keep or evict a job in memory whose state has changed. */
void cache_settle(struct cache *cache, struct job *job);
/* Store a change that a client waits for, then keep or evict the job. */
void cache_keep(struct cache *cache, struct job *job);
/* A delayed job in memory is due: make it ready. */
void cache_enqueue_due(struct cache *cache, struct job *job);
/* Free a job in memory that is up to date in the store, or deleted. */
void cache_forget(struct cache *cache, struct job *job);
/* Store the changes of a job. */
void cache_save(struct cache *cache, struct job *job);
/* The first ready job of a tube, which is loaded if necessary, or NULL. */
struct job *cache_first(struct cache *cache, struct tube *tube);
/* Load the jobs that become due soon. Return: true if there is more to load. */
bool cache_work(struct cache *cache);
/* Add a job to memory that was read from the store. */
struct job *cache_load(struct cache *cache, struct tube *tube,
		       const struct job_record *rec);
/* The tube of a stored job. */
struct tube *cache_tube(struct cache *cache, uint64_t number);

#endif
