/* SPDX-License-Identifier: MIT */
/* A command that is going to run, as a filter sees it. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "api.h"

/*
 * Is its word @nr, which it has, this one of small letters, in whatever case? Each
 * command is asked: no function of the C library is as quick with so short words.
 */
static inline bool command_says(struct RedisModuleCommandFilterCtx *command,
				int nr, const char *word)
{
	size_t length, i;
	const char *bytes =
		RedisModule_StringPtrLen(RedisModule_CommandFilterArgGet(command, nr),
					 &length);

	for (i = 0; i < length; i++)
		if ((bytes[i] | ('a' - 'A')) != word[i])
			return false;
	return !word[i];
}

#endif
