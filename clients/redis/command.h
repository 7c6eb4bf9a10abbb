/* SPDX-License-Identifier: MIT */
/* A command that is about to run, as a command filter receives it. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "api.h"

/*
 * Returns the word @nr, which must exist. The server terminates each word with a NUL, and
 * reading the length would take three times as long.
 */
static inline const char *command_word(struct RedisModuleCommandFilterCtx *command,
				       int nr)
{
	return RedisModule_StringPtrLen(RedisModule_CommandFilterArgGet(command, nr), NULL);
}

static inline char lower(char letter)
{
	return letter | ('a' - 'A');
}

/* Compares regardless of case; @name is in lower case. Faster than libc for short words. */
static inline bool word_is(const char *word, const char *name)
{
	for (; *name; word++, name++)
		if (lower(*word) != *name)
			return false;
	return !*word;
}

#endif
