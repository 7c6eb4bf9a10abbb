/* SPDX-License-Identifier: MIT */
/*
 * The event loop. Each iteration runs the commands that all connections have sent, makes one
 * commit, and only then sends the responses.
 */
#ifndef SERVE_H
#define SERVE_H

#include "server.h"

/* Serve until a signal ends it. */
void serve(struct server *server, const struct server_options *options);

#endif
