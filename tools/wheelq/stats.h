/* SPDX-License-Identifier: MIT */
/*
 * What the server tells of itself: in beanstalkd's YAML, or for Prometheus.
 */
#ifndef STATS_H
#define STATS_H

#include "client.h"

/* The stats and list commands. */
void stats_run(struct client *client, const struct command *command);

#endif
