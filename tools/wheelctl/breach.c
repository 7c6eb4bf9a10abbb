// SPDX-License-Identifier: MIT
/*
 * Promises that were broken: how often, and how it began.
 */
#include "breach.h"

#include <stdarg.h>
#include <stdio.h>

#include "json.h"
#include "text.h"

static const struct {
	const char *name;
	const char *promise;
} kinds[] = {
	[BREACH_EARLY]		= { "early",		"P1" },
	[BREACH_LOST]		= { "lost",		"P8" },
	[BREACH_DUPLICATE]	= { "duplicates",	"P3" },
	[BREACH_ORDER]		= { "misordered",	"P5" },
	[BREACH_WRONG]		= { "wrong",		"P3" },
	[BREACH_ANSWER]		= { "answers",		"P4" },
	[BREACH_COUNTER]	= { "counters",		"P11" },
};

/**
 * breach_add - note one
 * @b: notes
 * @kind: which promise
 * @format: what happened; kept of the first one
 */
void breach_add(struct breaches *b, enum breach kind, const char *format, ...)
{
	va_list args;

	if (b->count[kind]++)
		return;
	va_start(args, format);
	vsnprintf(b->first[kind], sizeof(b->first[kind]), format, args);
	va_end(args);
}

u64 breach_total(const struct breaches *b)
{
	u64 total = 0;
	int kind;

	for (kind = 0; kind < BREACHES; kind++)
		total += b->count[kind];
	return total;
}

const char *breach_name(enum breach kind)
{
	return kinds[kind].name;
}

/**
 * breach_print - what happened, a line for each kind
 * @b: notes
 */
void breach_print(const struct breaches *b)
{
	int kind;

	for (kind = 0; kind < BREACHES; kind++)
		if (b->count[kind])
			printf("%s (%s): %s; the first:\n  %s\n",
			       kinds[kind].name, kinds[kind].promise,
			       text_count(b->count[kind]).s, b->first[kind]);
}

/**
 * breach_json - the same as members of the open object
 * @b: notes
 */
void breach_json(const struct breaches *b)
{
	int kind;

	for (kind = 0; kind < BREACHES; kind++)
		json_u64(kinds[kind].name, b->count[kind]);
	json_open("broken", '[');
	for (kind = 0; kind < BREACHES; kind++)
		if (b->count[kind])
			json_string(NULL, b->first[kind]);
	json_close(']');
}
