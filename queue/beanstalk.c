// SPDX-License-Identifier: MIT
#include "beanstalk.h"

#include <stddef.h>
#include <string.h>

#include "tube.h"

#define MS_A_SECOND	1000
/* Digits of a fraction of a second. */
#define MOST_DIGITS	9
/* 290,000 years; sums of times do not overflow. */
#define LAST_MS		(INT64_MAX / 1000)

/**
 * struct verb_kind - a command
 * @name: its first word
 * @takes: its arguments, one letter each; see struct command
 * @flags: of enum verb_flag
 */
struct verb_kind {
	const char *name;
	const char *takes;
	unsigned int flags;
};

static const struct verb_kind verbs[VERB_COUNT] = {
	[VERB_PUT] = { "put", "pdtb", OF_USED },
	[VERB_PUT_AT] = { "put-at", "patb", OF_USED },
	[VERB_PUT_KEY] = { "put-key", "ypdtbm", OF_USED },
	[VERB_PEEK] = { "peek", "i" },
	[VERB_PEEK_READY] = { "peek-ready", "", OF_USED },
	[VERB_PEEK_DELAYED] = { "peek-delayed", "", OF_USED },
	[VERB_PEEK_BURIED] = { "peek-buried", "", OF_USED },
	[VERB_PEEK_KEY] = { "peek-key", "y", OF_USED },
	[VERB_RESERVE] = { "reserve", "", IF_LOST },
	[VERB_RESERVE_WITH_TIMEOUT] = { "reserve-with-timeout", "d", IF_LOST },
	[VERB_RESERVE_JOB] = { "reserve-job", "i" },
	[VERB_DELETE] = { "delete", "i" },
	[VERB_DELETE_KEY] = { "delete-key", "y", OF_USED },
	[VERB_RELEASE] = { "release", "ipd" },
	[VERB_BURY] = { "bury", "ip" },
	[VERB_TOUCH] = { "touch", "i" },
	[VERB_USE] = { "use", "n", OF_NAME | IF_LOST },
	[VERB_WATCH] = { "watch", "n", OF_NAME | IF_LOST },
	[VERB_IGNORE] = { "ignore", "n", IF_LOST },
	[VERB_KICK] = { "kick", "k", OF_USED },
	[VERB_KICK_JOB] = { "kick-job", "i" },
	[VERB_CLEAR_JOBS] = { "clear-jobs", "sk", OF_USED },
	[VERB_STATS] = { "stats", "", IF_LOST },
	[VERB_STATS_JOB] = { "stats-job", "i" },
	[VERB_STATS_TUBE] = { "stats-tube", "n", OF_NAME | IF_LOST },
	[VERB_LIST_JOBS] = { "list-jobs", "sck", OF_USED },
	[VERB_LIST_TUBES] = { "list-tubes", "", IF_LOST },
	[VERB_LIST_TUBE_USED] = { "list-tube-used", "", IF_LOST },
	[VERB_LIST_TUBES_WATCHED] = { "list-tubes-watched", "", IF_LOST },
	[VERB_PAUSE_TUBE] = { "pause-tube", "nd", OF_NAME },
	[VERB_LIMIT_TUBE] = { "limit-tube", "nkd", OF_NAME },
	[VERB_QUIT] = { "quit", "", IF_LOST },
};

const char *verb_name(enum verb verb)
{
	return verbs[verb].name;
}

bool verb_has(enum verb verb, enum verb_flag flag)
{
	return verbs[verb].flags & flag;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read the digits at *@text and move it past them; a value above @most is an error. */
static bool read_digits(const char **text, uint64_t most, uint64_t *number)
{
	uint64_t n = 0;

	if (!is_digit(**text))
		return false;
	for (; is_digit(**text); ++*text) {
		uint64_t digit = **text - '0';

		if (n > (most - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	*number = n;
	return true;
}

static bool read_number(const char *text, uint64_t most, uint64_t *number)
{
	return read_digits(&text, most, number) && !*text;
}

static bool read_u32(const char *text, uint32_t *number)
{
	uint64_t n;

	if (!read_number(text, UINT32_MAX, &n))
		return false;
	*number = n;
	return true;
}

/* Read seconds with an optional fraction, rounded up to ms. */
static bool read_seconds(const char *text, uint64_t *ms)
{
	uint64_t seconds, unit = MS_A_SECOND * 1000000ULL, fraction = 0;
	int digits;

	if (!read_digits(&text, UINT32_MAX, &seconds))
		return false;
	if (*text == '.') {
		if (!is_digit(*++text))
			return false;
		for (digits = 0; is_digit(*text); digits++) {
			unit /= 10;
			fraction += (*text++ - '0') * unit;
		}
		if (digits > MOST_DIGITS)
			return false;
	}
	*ms = seconds * MS_A_SECOND + (fraction + 999999) / 1000000;
	return !*text;
}

static bool read_ttr(const char *text, uint64_t *ms)
{
	if (!read_seconds(text, ms))
		return false;
	/* In the protocol, 0 is 1 s. */
	if (!*ms)
		*ms = MS_A_SECOND;
	return true;
}

static bool read_state(const char *text, unsigned int *state)
{
	for (*state = JOB_DELAYED; *state < JOB_STATES; ++*state)
		if (!strcmp(text, job_state_name(*state)))
			return true;
	return false;
}

/* The parts that are left out are 0. */
static bool read_cursor(const char *text, uint64_t *cursor)
{
	int i;

	for (i = 0; i < COMMAND_CURSOR; i++) {
		if (!read_digits(&text, UINT64_MAX, &cursor[i]))
			return false;
		if (*text != '.')
			break;
		text++;
	}
	return !*text;
}

static bool read_argument(struct command *command, char kind, const char *text)
{
	switch (kind) {
	case 'i':
		return read_number(text, UINT64_MAX, &command->id);
	case 'p':
		return read_u32(text, &command->pri);
	case 'd':
		return read_seconds(text, &command->delay);
	case 'a':
		return read_number(text, LAST_MS, &command->at);
	case 't':
		return read_ttr(text, &command->ttr);
	case 'b':
		return read_u32(text, &command->bytes);
	case 's':
		return read_state(text, &command->state);
	case 'c':
		return read_cursor(text, command->cursor);
	case 'k':
		return read_number(text, UINT64_MAX, &command->bound);
	case 'm':
		return read_seconds(text, &command->most);
	case 'y':
		command->name = text;
		return job_key_is_good(text);
	default:
		command->name = text;
		return tube_name_is_good(text);
	}
}

/* Return the word at *@line and move it past the word; NULL at the end. */
static const char *next_word(char **line)
{
	char *word = *line + strspn(*line, " ");
	char *end = strchrnul(word, ' ');

	*line = end;
	if (*end) {
		*end = '\0';
		++*line;
	}
	return *word ? word : NULL;
}

const char *beanstalk_parse(struct command *command, char *line,
			    unsigned int length)
{
	const char *word, *kind;
	bool ends_badly;

	*command = (struct command){ 0 };
	if (strlen(line) != length)
		return "BAD_FORMAT\r\n";
	ends_badly = length && line[length - 1] == ' ';
	word = *line == ' ' ? NULL : next_word(&line);
	for (; word && command->verb < VERB_COUNT; command->verb++)
		if (!strcmp(word, verbs[command->verb].name))
			break;
	if (!word || command->verb == VERB_COUNT)
		return "UNKNOWN_COMMAND\r\n";
	for (kind = verbs[command->verb].takes; *kind; kind++) {
		word = next_word(&line);
		if (!word && *kind == 'm')
			break;
		if (!word || !read_argument(command, *kind, word))
			return "BAD_FORMAT\r\n";
	}
	return *line || ends_badly ? "BAD_FORMAT\r\n" : NULL;
}

const char *command_tube(const struct command *command, const char *used)
{
	if (verb_has(command->verb, OF_USED))
		return used;
	return verb_has(command->verb, OF_NAME) ? command->name : NULL;
}

bool command_has_id(const struct command *command)
{
	return *verbs[command->verb].takes == 'i';
}
