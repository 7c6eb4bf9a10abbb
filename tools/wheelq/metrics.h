/* SPDX-License-Identifier: MIT */
/*
 * Metrics for Prometheus.
 */
#ifndef METRICS_H
#define METRICS_H

#include "buffer.h"

struct server;

/* In Prometheus's text format. */
void metrics_print(struct buffer *buffer, struct server *server);

#endif
