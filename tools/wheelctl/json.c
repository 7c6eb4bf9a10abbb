// SPDX-License-Identifier: MIT
/*
 * Writes one JSON document on stdout.
 */
#include "json.h"

#include <stdio.h>

/* How deep we are, and whether the next member is the first one there. */
static unsigned int depth;
static bool first = true;

static void put_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			putchar('\\');
		if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void new_line(void)
{
	unsigned int i;

	putchar('\n');
	for (i = 0; i < depth; i++)
		putchar('\t');
}

static void new_member(const char *key)
{
	if (depth) {
		if (!first)
			putchar(',');
		new_line();
	}
	first = false;
	if (key) {
		put_string(key);
		fputs(": ", stdout);
	}
}

/**
 * json_open - begin an object or an array
 * @key: of the member, or NULL
 * @bracket: '{' or '['
 */
void json_open(const char *key, char bracket)
{
	new_member(key);
	putchar(bracket);
	depth++;
	first = true;
}

/**
 * json_close - end the innermost one
 * @bracket: '}' or ']'
 */
void json_close(char bracket)
{
	depth--;
	if (!first)
		new_line();
	putchar(bracket);
	first = !depth;
	if (!depth)
		putchar('\n');
}

void json_u64(const char *key, u64 value)
{
	new_member(key);
	printf("%llu", value);
}

/**
 * json_u64s - an array of numbers, on one line
 * @key: of the member
 * @values: the numbers
 * @count: how many
 */
void json_u64s(const char *key, const u64 *values, size_t count)
{
	size_t i;

	new_member(key);
	putchar('[');
	for (i = 0; i < count; i++)
		printf("%s%llu", i ? ", " : "", values[i]);
	putchar(']');
}

void json_bool(const char *key, bool value)
{
	new_member(key);
	fputs(value ? "true" : "false", stdout);
}

void json_string(const char *key, const char *value)
{
	new_member(key);
	put_string(value);
}
