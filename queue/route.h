/* SPDX-License-Identifier: MIT */
/*
 * The input of a client, as commands that are forwarded to the shards.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include "session.h"

/* Process all input that need not wait. */
void route_input(struct session *session);
/* Return: true if the client, or the last shard, has to read first. */
bool route_is_full(const struct session *session);

#endif
