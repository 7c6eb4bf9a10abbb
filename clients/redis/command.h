/* SPDX-License-Identifier: MIT */
/* A command that is going to run, as a filter sees it. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "api.h"

/*
 * Its word @nr, which it has, up to the first NUL: one stands behind each word of the
 * server's, and to be told its length would take three times as long.
 */
static inline const char *command_word(struct RedisModuleCommandFilterCtx *command,
				       int nr)
{
	return RedisModule_StringPtrLen(RedisModule_CommandFilterArgGet(command, nr), NULL);
}

/* A letter as a small one. */
static inline char small(char letter)
{
	return letter | ('a' - 'A');
}

/*
 * Is it this one of small letters, in whatever case? Each command is asked: no function of
 * the C library is as quick with so short words.
 */
static inline bool word_is(const char *word, const char *name)
{
	for (; *name; word++, name++)
		if (small(*word) != *name)
			return false;
	return !*word;
}

#endif
