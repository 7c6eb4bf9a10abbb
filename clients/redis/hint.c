// SPDX-License-Identifier: MIT
#include <errno.h>

#include "api.h"
#include "command.h"
#include "db.h"
#include "due.h"
#include "hint.h"
#include "keys.h"
#include "server.h"

/* Longer numbers are left to the server: a time in ms has 13 digits. */
#define DIGITS		15
/* Names that are looked up before the server runs other commands. */
#define SLICE		256
/* Size of the array of names at first, and the size above which it is freed when empty. */
#define NAMES_MIN	64
#define NAMES_MAX	4096
/* The newest server whose commands are all in forms[]: Redis 8.0 and Valkey 8.1. */
#define NEWEST_KNOWN	0x0801ff

/* The commands that can give a TTL to a key or shorten it, the most frequent first. */
static const struct form {
	char name[16];
	/* Minimum number of words; index of the key. */
	int words, key;
	/* Index of the TTL, or first index of an option that may be EX or PX; or 0. */
	int time, options;
	/* Unit of the TTL in ms; and whether it is a point in time. */
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

/* struct ttl - TTL that a command sets, or point in time; @ms is 0 if it is unknown. */
struct ttl {
	int64_t ms;
	bool is_time;
};

static struct {
	/* Key of the last command read, or NULL. No reference. */
	struct RedisModuleString *last;
	/* Names for hint_lookup(), and their databases; those before @done have been looked up. */
	struct hint_name {
		struct RedisModuleString *string;
		uint16_t db;
	} *names;
	uint32_t count, done, size;
} hint;

/* Checks for a command by calling it with a number of words that makes it fail. */
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

bool hint_is_possible(struct RedisModuleCtx *ctx)
{
	const struct form *form;

	if (RedisModule_GetServerVersion() > NEWEST_KNOWN)
		return false;
	for (form = forms; *form->name; form++)
		if (!exists(ctx, form->name, NULL))
			return false;
	return exists(ctx, "multi", "it");
}

/* Returns a positive number, or 0 if the word is not one, or too long. */
static int64_t number_of(const char *word)
{
	const char *end = word;
	uint64_t number = 0;
	unsigned int digit;

	for (; (digit = (unsigned char)*end - '0') <= 9; end++)
		number = 10 * number + digit;
	return *end || end - word > DIGITS ? 0 : number;
}

/* Returns the form of a command, or the last form, which has no name. */
static const struct form *form_of(const char *name, int words)
{
	const struct form *form;

	for (form = forms; *form->name; form++)
		if (words >= form->words && word_is(name, form->name))
			break;
	return form;
}

/* Returns true for EX, PX, EXAT and PXAT, and stores the unit in @ttl. */
static inline bool is_option(const char *word, struct ttl *ttl)
{
	char first = lower(word[0]);

	if ((first != 'e' && first != 'p') || lower(word[1]) != 'x')
		return false;
	ttl->ms = first == 'e' ? 1000 : 1;
	ttl->is_time = word[2];
	return !ttl->is_time || word_is(word + 2, "at");
}

static struct ttl ttl_of(struct RedisModuleCommandFilterCtx *command, int words,
			 const struct form *form)
{
	struct ttl ttl = { .ms = form->unit, .is_time = form->is_time };
	int nr;

	if (form->time) {
		ttl.ms *= number_of(command_word(command, form->time));
		return ttl;
	}
	if (!form->options)
		return ttl;
	for (nr = form->options; nr + 1 < words; nr++)
		if (is_option(command_word(command, nr), &ttl)) {
			ttl.ms *= number_of(command_word(command, nr + 1));
			return ttl;
		}
	/* There is no option that sets a TTL. */
	return (struct ttl){ .ms = INT64_MAX };
}

/*
 * Most of these commands are SET, and no other one has EX or PX at this index. The name is
 * therefore not read. A command without TTL, such as MSET, causes an unnecessary hint.
 */
static bool looks_like_set(struct RedisModuleCommandFilterCtx *command, int words,
			   struct ttl *ttl)
{
	if (words < 5 || !is_option(command_word(command, 3), ttl))
		return false;
	ttl->ms *= number_of(command_word(command, 4));
	return true;
}

enum hint hint_read(struct RedisModuleCommandFilterCtx *command, int words)
{
	const struct form *form = forms;
	struct name key;
	struct ttl ttl;
	bool is_long;

	hint.last = NULL;
	if (!looks_like_set(command, words, &ttl)) {
		if (words == 1 && word_is(command_word(command, 0), "multi"))
			transactions_begun();
		if (words <= 2)
			return HINT_NONE;
		form = form_of(command_word(command, 0), words);
		if (!*form->name)
			return HINT_NONE;
		ttl = ttl_of(command, words, form);
	}
	hint.last = RedisModule_CommandFilterArgGet(command, form->key);
	if (!ttl.is_time && ttl.ms > due_horizon()) {
		due_far_life(ttl.ms);
		return HINT_NONE;
	}
	key = name_of(hint.last);
	is_long = key.length > NAME_LENGTH;
	/* A point in time may have passed when the transaction is executed. */
	if (!ttl.ms || is_long || (ttl.is_time && transactions_may_be_open()))
		hint_look_later(key.string, DB_ANY);
	else if (ttl.is_time)
		due_expect(key.string, ttl.ms, DB_ANY);
	else
		due_expect_life(&key, ttl.ms, DB_ANY);
	return is_long && transactions_may_be_open() ? HINT_TOO_LONG : HINT_KEY;
}

bool hint_was_of(const struct RedisModuleString *name)
{
	return hint.last == name;
}

void hint_note_db(struct RedisModuleString *name, uint16_t db)
{
	struct hint_name *last = &hint.names[hint.count - 1];

	if (hint_lookup_is_wanted() && last->string == name)
		last->db = db;
	else
		due_note_db(name, db);
}

void hint_look_later(struct RedisModuleString *name, uint16_t db)
{
	if (hint.count == hint.size) {
		hint.size = hint.size ? 2 * hint.size : NAMES_MIN;
		hint.names = RedisModule_Realloc(hint.names, hint.size * sizeof(*hint.names));
	}
	hint.names[hint.count++] = (struct hint_name) {
		.string = RedisModule_HoldString(NULL, name),
		.db = db,
	};
}

bool hint_lookup_is_wanted(void)
{
	return hint.done < hint.count;
}

static void lookup_one(struct RedisModuleCtx *ctx, bool may_be_queued)
{
	uint16_t db = hint.names[hint.done].db;
	struct name name = name_of(hint.names[hint.done++].string);

	due_expect(name.string, db_lookup(ctx, name.string, db).expires_ms, db);
	/* The transaction may set any TTL. */
	if (may_be_queued)
		due_expect_life(&name, 1, db);
	RedisModule_FreeString(NULL, name.string);
}

bool hint_lookup(struct RedisModuleCtx *ctx)
{
	uint32_t slice = SLICE;
	bool may_be_queued;

	if (!hint_lookup_is_wanted())
		return false;
	may_be_queued = transactions_are_open(ctx);
	db_lookup_begin();
	/* Another module that is notified of a deletion may add names. */
	while (hint_lookup_is_wanted() && slice--)
		lookup_one(ctx, may_be_queued);
	if (hint_lookup_is_wanted())
		return true;
	hint_drop();
	return false;
}

void hint_drop(void)
{
	while (hint_lookup_is_wanted())
		RedisModule_FreeString(NULL, hint.names[hint.done++].string);
	hint.count = 0;
	hint.done = 0;
	if (hint.size > NAMES_MAX) {
		RedisModule_Free(hint.names);
		hint.names = NULL;
		hint.size = 0;
	}
}
