// SPDX-License-Identifier: MIT
#include <errno.h>

#include "api.h"
#include "command.h"
#include "due.h"
#include "hint.h"
#include "keys.h"
#include "look.h"
#include "transactions.h"

/* More than that many digits are left to Redis to judge: a time in ms has 13. */
#define DIGITS		15
/* A longer name is kept once it is seen to expire: else those without rights fill memory. */
#define NAME_LENGTH	256

/* The commands after which a key may expire that did not before, the commonest first. */
static const struct form {
	char name[16];
	/* So many it has at least; which of them is the key. */
	int words, key;
	/* Which one says how long it lives, or is the first that may be EX or PX; or 0. */
	int time, options;
	/* Of the number that it says, in ms; and that it is a time, not a life. */
	int64_t unit;
	bool is_time;
} forms[] = {
#define FORM(NAME, ...) { .name = NAME, __VA_ARGS__ }
	FORM("set", .words = 5, .key = 1, .options = 3),
	FORM("expire", .words = 3, .key = 1, .time = 2, .unit = 1000),
	FORM("setex", .words = 4, .key = 1, .time = 2, .unit = 1000),
	FORM("pexpire", .words = 3, .key = 1, .time = 2, .unit = 1),
	FORM("psetex", .words = 4, .key = 1, .time = 2, .unit = 1),
	FORM("getex", .words = 4, .key = 1, .options = 2),
	FORM("expireat", .words = 3, .key = 1, .time = 2, .unit = 1000, .is_time = true),
	FORM("pexpireat", .words = 3, .key = 1, .time = 2, .unit = 1, .is_time = true),
	FORM("restore", .words = 4, .key = 1),
	FORM("restore-asking", .words = 4, .key = 1),
	FORM("rename", .words = 3, .key = 2),
	FORM("renamenx", .words = 3, .key = 2),
	FORM("copy", .words = 3, .key = 2),
	FORM("move", .words = 3, .key = 1),
#undef FORM
	{}
};

/* struct term - how long a key lives after a command, or until when; 0: it does not say */
struct term {
	int64_t ms;
	bool is_time;
};

/* The key of the command that was read last, or NULL; not ours to free. */
static struct RedisModuleString *last;

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

	for (form = forms; *form->name; form++)
		if (!exists(ctx, form->name, NULL))
			return false;
	return exists(ctx, "multi", "it");
}

/* A positive number, or 0: it is none, or too long. */
static int64_t number_of(const char *word)
{
	const char *end = word + DIGITS;
	uint64_t number = 0;
	unsigned int digit;

	for (; (digit = (unsigned char)*word - '0') <= 9 && word < end; word++)
		number = 10 * number + digit;
	return *word ? 0 : number;
}

/* The form of a command, or the last one, which has no name. */
static const struct form *form_of(const char *name, int words)
{
	const struct form *form;

	for (form = forms; *form->name; form++)
		if (words >= form->words && word_is(name, form->name))
			break;
	return form;
}

/* Is the word EX, PX, EXAT or PXAT? Then @term has its unit. */
static inline bool is_option(const char *word, struct term *term)
{
	char first = small(word[0]);

	if ((first != 'e' && first != 'p') || small(word[1]) != 'x')
		return false;
	term->ms = first == 'e' ? 1000 : 1;
	term->is_time = word[2];
	return !term->is_time || word_is(word + 2, "at");
}

static struct term term_of(struct RedisModuleCommandFilterCtx *command, int words,
			   const struct form *form)
{
	struct term term = { .ms = form->unit, .is_time = form->is_time };
	int nr;

	if (form->time) {
		term.ms *= number_of(command_word(command, form->time));
		return term;
	}
	if (!form->options)
		return term;
	for (nr = form->options; nr + 1 < words; nr++)
		if (is_option(command_word(command, nr), &term)) {
			term.ms *= number_of(command_word(command, nr + 1));
			return term;
		}
	/* It says that it gives none. */
	return (struct term){ .ms = INT64_MAX };
}

/*
 * Most often it is SET, and no other of these commands has EX or PX there. So its name need
 * not be read: of a command that gives no time, as MSET, it is a hint in vain.
 */
static bool looks_like_set(struct RedisModuleCommandFilterCtx *command, int words,
			   struct term *term)
{
	if (words < 5 || !is_option(command_word(command, 3), term))
		return false;
	term->ms *= number_of(command_word(command, 4));
	return true;
}

enum hint hint_read(struct RedisModuleCommandFilterCtx *command, int words)
{
	const struct form *form = forms;
	struct term term;
	struct name key;
	bool is_long;

	last = NULL;
	if (!looks_like_set(command, words, &term)) {
		if (words == 1 && word_is(command_word(command, 0), "multi"))
			transactions_begun();
		if (words <= 2)
			return HINT_OF_NOTHING;
		form = form_of(command_word(command, 0), words);
		if (!*form->name)
			return HINT_OF_NOTHING;
		term = term_of(command, words, form);
	}
	last = RedisModule_CommandFilterArgGet(command, form->key);
	if (!term.is_time && term.ms > due_horizon())
		return HINT_OF_NOTHING;
	key = name_of(last);
	is_long = key.length > NAME_LENGTH;
	/* A time may be over when the transaction is executed. */
	if (!term.ms || is_long || (term.is_time && transactions_may_be_open()))
		look_later(key.string);
	else if (term.is_time)
		due_expect(key.string, term.ms);
	else
		due_expect_life(&key, term.ms);
	return is_long && transactions_may_be_open() ? HINT_TOO_LONG : HINT_OF_KEY;
}

bool hint_was_of(const struct RedisModuleString *name)
{
	/* Its own word, not another string with the same bytes. */
	return last == name;
}
