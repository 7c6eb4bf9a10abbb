// SPDX-License-Identifier: MIT
#include "store.h"

#include <string.h>

static bool begins_with(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

struct store *store_open(const char *name)
{
	if (begins_with(name, "postgresql://") ||
	    begins_with(name, "postgres://"))
		return postgres_open(name);
	return sqlite_open(name);
}
