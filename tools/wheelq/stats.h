/* SPDX-License-Identifier: MIT */
/*
 * What the server tells of itself, in beanstalkd's YAML.
 */
#ifndef STATS_H
#define STATS_H

#include "server.h"

/**
 * struct stats_clients - connections by what they do
 * @producers: they have put
 * @workers: they have reserved
 * @waiting: they wait for a job
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
