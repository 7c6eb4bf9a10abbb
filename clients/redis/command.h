/* SPDX-License-Identifier: MIT */
/* A command that is going to run, as a filter sees it. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "api.h"

/* Is its word @nr, which it has, this one, in whatever case? */
static inline bool command_says(struct RedisModuleCommandFilterCtx *command,
				int nr, const char *word)
{
	size_t length;
	const char *bytes =
		RedisModule_StringPtrLen(RedisModule_CommandFilterArgGet(command, nr),
					 &length);

	return length == strlen(word) && !strncasecmp(bytes, word, length);
}

#endif
