// SPDX-License-Identifier: MIT
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_line(const char *format, va_list args)
{
	char line[512];

	/* One write, so that the lines of several processes do not mix. */
	vsnprintf(line, sizeof(line), format, args);
	fprintf(stderr, "wheelq: %s\n", line);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(format, args);
	va_end(args);
}

void fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(format, args);
	va_end(args);
	exit(status);
}

void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		fail(EXIT_FAILED, "out of memory");
	return memory;
}

void *grow(void *memory, size_t size)
{
	memory = realloc(memory, size);
	if (!memory)
		fail(EXIT_FAILED, "out of memory");
	return memory;
}

char *copied(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		fail(EXIT_FAILED, "out of memory");
	return copy;
}
