// SPDX-License-Identifier: MIT
#include <errno.h>

#include "api.h"
#include "command.h"
#include "due.h"
#include "hint.h"
#include "look.h"
#include "transactions.h"

/* More than that many digits are left to Redis to judge. */
#define DIGITS		12
/* A longer name is kept once it is seen to expire: else those without rights fill memory. */
#define NAME_LENGTH	256

/* The commands after which a key may expire that did not before, the commonest first. */
static const struct form {
	const char *name;
	/* So many it has at least; which of them is the key. */
	int words, key;
	/* Which one says how long it lives, or is the first that may be EX or PX; or 0. */
	int time, options;
	int64_t ms;
} forms[] = {
	{ "set", .words = 5, .key = 1, .options = 3 },
	{ "expire", .words = 3, .key = 1, .time = 2, .ms = 1000 },
	{ "setex", .words = 4, .key = 1, .time = 2, .ms = 1000 },
	{ "pexpire", .words = 3, .key = 1, .time = 2, .ms = 1 },
	{ "psetex", .words = 4, .key = 1, .time = 2, .ms = 1 },
	{ "getex", .words = 4, .key = 1, .options = 2 },
	{ "expireat", .words = 3, .key = 1 },
	{ "pexpireat", .words = 3, .key = 1 },
	{ "restore", .words = 4, .key = 1 },
	{ "restore-asking", .words = 4, .key = 1 },
	{ "rename", .words = 3, .key = 2 },
	{ "renamenx", .words = 3, .key = 2 },
	{ "copy", .words = 3, .key = 2 },
	{ "move", .words = 3, .key = 1 },
	{}
};

/* The key of the command that was read last, or NULL; not ours to free. */
static const struct RedisModuleString *last;

/* Is there a command of that name, which this word too many or too few lets fail? */
static bool exists(struct RedisModuleCtx *ctx, const char *name, const char *word)
{
	struct RedisModuleCallReply *reply;

	errno = 0;
	reply = RedisModule_Call(ctx, name, word ? "c" : "", word);
	if (!reply)
		return errno == EINVAL;
	RedisModule_FreeCallReply(reply);
	return false;
}

bool hint_knows_all(struct RedisModuleCtx *ctx)
{
	const struct form *form;

	for (form = forms; form->name; form++)
		if (!exists(ctx, form->name, NULL))
			return false;
	return exists(ctx, "multi", "it");
}

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
static const struct form *form_of(struct word name, int words)
{
	const struct form *form;

	for (form = forms; form->name; form++)
		if (words >= form->words && word_is(name, form->name))
			break;
	return form;
}

/* How long the key lives after it, in ms; 0: it does not say. */
static int64_t lives_of(struct RedisModuleCommandFilterCtx *command, int words,
			const struct form *form)
{
	int nr;

	if (form->time)
		return form->ms * number_of(command_word(command, form->time));
	if (!form->options)
		return 0;
	for (nr = form->options; nr + 1 < words; nr++) {
		struct word option = command_word(command, nr);

		if (word_is(option, "ex"))
			return 1000 * number_of(command_word(command, nr + 1));
		if (word_is(option, "px"))
			return number_of(command_word(command, nr + 1));
	}
	return 0;
}

static size_t length_of(const struct RedisModuleString *name)
{
	size_t length;

	RedisModule_StringPtrLen(name, &length);
	return length;
}

bool hint_read(struct RedisModuleCommandFilterCtx *command, int words)
{
	struct RedisModuleString *name;
	const struct form *form;
	int64_t lives_ms;
	bool is_long;

	last = NULL;
	if (words == 1 && word_is(command_word(command, 0), "multi"))
		transactions_begun();
	if (words <= 2)
		return false;
	form = form_of(command_word(command, 0), words);
	if (!form->name)
		return false;
	name = RedisModule_CommandFilterArgGet(command, form->key);
	last = name;
	lives_ms = lives_of(command, words, form);
	if (lives_ms > due_horizon())
		return false;
	is_long = length_of(name) > NAME_LENGTH;
	if (lives_ms && !is_long)
		due_expect_life(name, lives_ms);
	else
		look_later(name);
	return is_long && transactions_may_be_open();
}

bool hint_was_of(const struct RedisModuleString *name)
{
	/* Its own word, not another string with the same bytes. */
	return last == name;
}
