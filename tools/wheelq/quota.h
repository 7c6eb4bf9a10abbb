/* SPDX-License-Identifier: MIT */
/*
 * The memory that connections hold: commands that have not come whole, and answers that
 * are not read. It is limited for all of them together. Beyond the limit, of those that hold
 * more than an equal share, the one gives way that has got nothing done for longest: a body
 * that has not come whole is refused, and a connection that does not read is closed.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct client;

/**
 * struct quota - what all connections hold
 * @clients: those that hold something, the one that has got nothing done for longest first
 * @count: how many they are
 * @bytes: that they hold
 * @most: the limit
 * @refusals: how many gave way
 */
struct quota {
	TAILQ_HEAD(, client) clients;
	size_t count;
	size_t bytes;
	size_t most;
	uint64_t refusals;
};

void quota_open(struct quota *quota, size_t most);
/* At the end of its turn: what does the client hold now? */
void quota_update(struct quota *quota, struct client *client);
/* It has got something done. */
void quota_progress(struct quota *quota, struct client *client);
/* It is gone. */
void quota_remove(struct quota *quota, struct client *client);
/* Keep to the limit. One may be over it, when it is the only one. */
void quota_enforce(struct quota *quota);

#endif
