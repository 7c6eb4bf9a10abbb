/* SPDX-License-Identifier: MIT */
/*
 * The command line.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <sys/types.h>

#include "queue.h"

/* Printed by --version, the stats command and the metrics. */
#define WHEELQ_VERSION	"1.0"
/* Limit on the number of --allow-user. */
#define OPTIONS_USERS	64

/**
 * struct server_options - the configuration
 * @address: to listen on
 * @http_port: a port for HTTP alone, also on standby; NULL: none
 * @port: to listen on
 * @path: the store
 * @users: users that may connect to a Unix socket; all if there are none
 * @user_count: number of @users
 * @connections: limit on the number of connections
 * @body: limit on the size of a body, in bytes
 * @shards: number of shards that the servers of the database share, 0: none
 * @shard: the one that this process serves, or NULL
 * @queue: limits of the queue
 */
struct server_options {
	const char *address;
	const char *port;
	const char *http_port;
	const char *path;
	uid_t users[OPTIONS_USERS];
	unsigned int user_count;
	uint32_t connections;
	uint32_t body;
	uint32_t shards;
	const struct store_shard *shard;
	struct queue_options queue;
};

/* Read the command line. Exit if it is invalid. */
void options_read(struct server_options *options, int argc, char **argv);
/* Return: true if the store is a database, not a file. */
bool options_name_a_database(const struct server_options *options);

#endif
