// SPDX-License-Identifier: MIT
/*
 * In place of the store in PostgreSQL, where there was no libpq to build it with.
 */
#include "fail.h"
#include "store.h"

struct store *postgres_open(const char *uri)
{
	(void)uri;
	fail(EXIT_USAGE,
	     "this wheelq was built without PostgreSQL; install libpq-dev and build it again");
}
