// SPDX-License-Identifier: MIT
/*
 * Replaces the store in PostgreSQL if wheelq is built without libpq.
 */
#include "fail.h"
#include "store.h"

struct store *postgres_open(const char *uri)
{
	(void)uri;
	fail(EXIT_USAGE,
	     "this wheelq was built without PostgreSQL support; install libpq-dev and rebuild");
}
