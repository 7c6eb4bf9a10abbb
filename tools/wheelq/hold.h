/* SPDX-License-Identifier: MIT */
/*
 * The memory that connections hold: commands that have not come whole, and answers that
 * are not read. It is limited for all of them together. Beyond the limit, of those that hold
 * more than an equal share, the one gives way that has got nothing done for longest: a body
 * that has not come whole is refused, and a connection that does not read is closed.
 */
#ifndef HOLD_H
#define HOLD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct client;

/**
 * struct hold - what all connections hold
 * @clients: those that hold something, the one that has got nothing done for longest first
 * @count: how many they are
 * @bytes: that they hold
 * @most: the limit
 * @refusals: how many gave way
 */
struct hold {
	TAILQ_HEAD(, client) clients;
	size_t count;
	size_t bytes;
	size_t most;
	uint64_t refusals;
};

void hold_open(struct hold *hold, size_t most);
/* At the end of its turn: what does the client hold now? */
void hold_count(struct hold *hold, struct client *client);
/* It has got something done. */
void hold_progress(struct hold *hold, struct client *client);
/* It is gone. */
void hold_forget(struct hold *hold, struct client *client);
/* Keep to the limit. One may be over it, when it is the only one. */
void hold_limit(struct hold *hold);

#endif
