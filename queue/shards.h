/* SPDX-License-Identifier: MIT */
/*
 * Several servers serve one database at once. Its tubes are divided into shards. Each shard is a
 * store of its own, in its own schema, which one process of one server holds, as without shards.
 *
 * A server consists of these processes:
 *
 * - The first one divides the shards evenly among the servers: it starts a process for a shard that
 *   no server holds, and ends one if the server has more than its part.
 * - The proxy accepts all connections, and forwards each command to the process that holds the
 *   shard.
 * - Each of the others serves a shard, on its own port.
 */
#ifndef SHARDS_H
#define SHARDS_H

#include <netinet/in.h>

#include "listen.h"
#include "options.h"

/*
 * Bits of an id that identify a job within its shard; the others are the number of the shard. Ids
 * of SHARDS_MOST shards have at most 53 bits, which a double represents exactly.
 */
#define SHARDS_ID_BITS	48
#define SHARDS_MOST	32
/* The name of a server, with its address and its port, in the database. */
#define SHARDS_NAME	"wheelq %s %s"

/**
 * struct shards_route - the process that holds a shard, as the proxy receives it
 * @shard: number of the shard
 * @address: its address; the family is 0 if no process holds it
 */
struct shards_route {
	unsigned int shard;
	struct sockaddr_in6 address;
};

/* Serve shards until a signal ends it, and exit. */
__attribute__((noreturn))
void shards_serve(const struct server_options *options);

/* Forward the commands of all connections. Routes are read from a pipe. */
__attribute__((noreturn))
void proxy_serve(const struct server_options *options, struct listener *listener,
		 struct listener *http, int routes_fd);

#endif
