// SPDX-License-Identifier: MIT
/*
 * Replaces the store in PostgreSQL if wheelq is built without libpq.
 */
#include "fail.h"
#include "shards.h"
#include "store.h"

#define ABSENT	"this wheelq was built without PostgreSQL support; install libpq-dev and rebuild"

struct store *postgres_open(const char *uri, int http_fd, const struct store_shard *shard)
{
	(void)uri;
	(void)http_fd;
	(void)shard;
	fail(EXIT_USAGE, ABSENT);
}

void shards_serve(const struct server_options *options)
{
	(void)options;
	fail(EXIT_USAGE, ABSENT);
}
