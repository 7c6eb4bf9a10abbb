/* SPDX-License-Identifier: MIT */
/* A command that is going to run, as a filter sees it. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "api.h"

/* struct word - one of its words, as the server has it */
struct word {
	const char *bytes;
	size_t length;
};

/* Its word @nr, which it has. */
static inline struct word command_word(struct RedisModuleCommandFilterCtx *command,
				       int nr)
{
	struct word word;

	word.bytes = RedisModule_StringPtrLen(RedisModule_CommandFilterArgGet(command, nr),
					      &word.length);
	return word;
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
static inline bool word_is(struct word word, const char *name)
{
	size_t i;

	for (i = 0; i < word.length; i++)
		if (small(word.bytes[i]) != name[i])
			return false;
	return !name[i];
}

#endif
