// SPDX-License-Identifier: MIT
/*
 * Replaces the store in PostgreSQL if wheelq is built without libpq.
 */
#include "fail.h"
#include "store.h"

struct store *postgres_open(const char *uri, int http_fd)
{
	(void)uri;
	(void)http_fd;
	fail(EXIT_USAGE,
	     "this wheelq was built without PostgreSQL support; install libpq-dev and rebuild");
}
