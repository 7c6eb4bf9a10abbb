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
static int64_t number_of(struct word word)
{
	int64_t number = 0;
	size_t i;

	if (word.length > DIGITS)
		return 0;
	for (i = 0; i < word.length; i++) {
		if (word.bytes[i] < '0' || word.bytes[i] > '9')
			return 0;
		number = 10 * number + word.bytes[i] - '0';
	}
	return number;
}

/* The form of a command, or the last one, which has no name. */
static const struct form *form_of(struct RedisModuleCommandFilterCtx *command, int words)
{
	struct word name = command_word(command, 0);
	const struct form *form;

	for (form = forms; form->name; form++)
		if (form->words == words && word_is(name, form->name) &&
		    (!form->unit ||
		     word_is(command_word(command, form->number - 1), form->unit)))
			break;
	return form;
}

void hint_read(struct RedisModuleCommandFilterCtx *command, int words)
{
	const struct form *form;
	int64_t lives_ms;

	hint.name = NULL;
	if (words < 3 || words > 5)
		return;
	form = form_of(command, words);
	if (!form->name)
		return;
	lives_ms = form->ms * number_of(command_word(command, form->number));
	if (!lives_ms)
		return;
	/* Redis reads its clock later, so it cannot expire earlier. */
	hint.expires_ms = lives_ms > due_horizon() ?
			  INT64_MAX : due_now_ms() + lives_ms;
	hint.name = RedisModule_CommandFilterArgGet(command, 1);
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
