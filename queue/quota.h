/* SPDX-License-Identifier: MIT */
/*
 * Limit the memory of all connections' buffers: incomplete commands, and responses that were not
 * read. Beyond the limit, buffers are dropped. Only a connection that has more than an equal share
 * is affected, first the one that has made no progress for longest.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/**
 * struct quota_entry - the buffers of one connection
 * @all: node in the list of entries with memory
 * @bytes: size
 */
struct quota_entry {
	TAILQ_ENTRY(quota_entry) all;
	size_t bytes;
};

/**
 * struct quota - the buffers of all connections
 * @entries: those with memory, the one without progress for longest first
 * @count: number of @entries
 * @bytes: total size
 * @limit: limit on @bytes
 * @refusals: number of times that buffers were dropped
 * @drop: drop buffers of one connection; return the size that is left
 */
struct quota {
	TAILQ_HEAD(, quota_entry) entries;
	size_t count;
	size_t bytes;
	size_t limit;
	uint64_t refusals;
	size_t (*drop)(struct quota_entry *entry);
};

void quota_open(struct quota *quota, size_t limit,
		size_t (*drop)(struct quota_entry *entry));
/* Set the size of an entry; 0 removes it. */
void quota_set(struct quota *quota, struct quota_entry *entry, size_t bytes);
/* The connection has made progress. */
void quota_progress(struct quota *quota, struct quota_entry *entry);
/* Enforce the limit. One connection may exceed it if it is the only one. */
void quota_enforce(struct quota *quota);

#endif
