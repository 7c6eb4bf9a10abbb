// SPDX-License-Identifier: MIT
#include "api.h"
#include "command.h"
#include "due.h"
#include "hint.h"

/* More than that many digits are left to Redis to judge. */
#define DIGITS	12

/* So commands look that are read: the key comes first. */
static const struct form {
	const char *name;
	int words;
	/* Which word says how long, and the word before it, if that matters. */
	int number;
	const char *unit;
	int64_t ms;
} forms[] = {
	{ "set", 5, 4, "ex", 1000 },
	{ "set", 5, 4, "px", 1 },
	{ "setex", 4, 2, NULL, 1000 },
	{ "psetex", 4, 2, NULL, 1 },
	{ "expire", 3, 2, NULL, 1000 },
	{ "pexpire", 3, 2, NULL, 1 },
	{}
};

static struct {
	/* Of the command that was read last, or NULL: its key; not ours to free. */
	const struct RedisModuleString *name;
	int64_t expires_ms;
} hint;

/* A positive number, or 0: it is none, or too long. */
static int64_t number_of(const struct RedisModuleString *argument)
{
	size_t length, i;
	const char *bytes = RedisModule_StringPtrLen(argument, &length);
	int64_t number = 0;

	if (length > DIGITS)
		return 0;
	for (i = 0; i < length; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return 0;
		number = 10 * number + bytes[i] - '0';
	}
	return number;
}

static bool has_form(struct RedisModuleCommandFilterCtx *command, int words,
		     const struct form *form)
{
	return form->words == words &&
	       command_says(command, 0, form->name) &&
	       (!form->unit ||
		command_says(command, form->number - 1, form->unit));
}

void hint_read(struct RedisModuleCommandFilterCtx *command)
{
	int words = RedisModule_CommandFilterArgsCount(command);
	const struct RedisModuleString *length;
	const struct form *form;
	int64_t lives_ms;

	hint.name = NULL;
	if (words < 3 || words > 5)
		return;
	for (form = forms; form->name; form++) {
		if (!has_form(command, words, form))
			continue;
		length = RedisModule_CommandFilterArgGet(command, form->number);
		lives_ms = form->ms * number_of(length);
		if (!lives_ms)
			return;
		/* Redis reads its clock later, so it cannot expire earlier. */
		hint.expires_ms = lives_ms > due_horizon() ?
				  INT64_MAX : due_now_ms() + lives_ms;
		hint.name = RedisModule_CommandFilterArgGet(command, 1);
		return;
	}
}

bool hint_take(const struct RedisModuleString *name, int64_t *expires_ms)
{
	/* Its own word, not another string with the same bytes. */
	if (hint.name != name)
		return false;
	hint.name = NULL;
	*expires_ms = hint.expires_ms;
	return true;
}
