/* SPDX-License-Identifier: MIT */
/*
 * Statistics, in the format of beanstalkd.
 */
#ifndef STATS_H
#define STATS_H

#include "server.h"

/**
 * struct stats_clients - number of connections, by kind
 * @producers: have put a job
 * @workers: have sent a reserve
 * @waiting: wait for a job
 */
struct stats_clients {
	uint64_t producers;
	uint64_t workers;
	uint64_t waiting;
};

void stats_count_clients(const struct server *server,
			 struct stats_clients *clients);
const char *stats_state_name(enum job_state state);

/* The stats and list commands. */
void stats_run(struct client *client, const struct command *command);

#endif
