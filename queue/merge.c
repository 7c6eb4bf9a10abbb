// SPDX-License-Identifier: MIT
#include "merge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Names of values of which only those of the first shard are reported. */
static bool is_of_first(const char *name, size_t length)
{
	static const char *const names[] = {
		"pid", "id", "uptime", "max-job-size", "binlog-max-size", "store-epoch",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && !strncmp(name, names[i], length))
			return true;
	return false;
}

/* The sum of a value in the responses of all shards. */
static void print_sum(struct buffer *to, const char *name, size_t length, const char *text)
{
	bool has_fraction = false;
	double sum = 0;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, length) || strncmp(text + length, ": ", 2))
			continue;
		has_fraction |= strcspn(text, ".") < strcspn(text, "\n");
		sum += strtod(text + length + 2, NULL);
	}
	buffer_print(to, "%.*s: %.*f\n", (int)length, name, has_fraction ? 6 : 0, sum);
}

static void print_line(struct buffer *to, const char *line, size_t length, const char *texts)
{
	size_t name = strcspn(line, ":\n");
	size_t digits = name < length ? strspn(line + name + 2, "0123456789.") : 0;

	if (digits && name + 2 + digits == length && !is_of_first(line, name))
		print_sum(to, line, name, texts);
	else
		buffer_print(to, "%.*s\n", (int)length, line);
}

/* The end of the first response: the beginning of the second one, or of nothing. */
static const char *first_end(const char *texts)
{
	return strstr(texts, "\n---\n") ?: texts + strlen(texts);
}

void merge_stats(struct buffer *to, const char *texts)
{
	const char *line = texts, *end = first_end(texts);
	size_t length;

	for (; *line && line <= end; line += length + 1) {
		length = strcspn(line, "\n");
		print_line(to, line, length, texts);
	}
}

static bool is_line(const char *line, const char *text)
{
	return !strncmp(line, text, strlen(text)) && line[strlen(text)] == '\n';
}

void merge_tubes(struct buffer *to, const char *texts)
{
	const char *line = texts, *end = first_end(texts);
	size_t length;

	for (; *line; line += length + 1) {
		length = strcspn(line, "\n");
		if (line < end || (!is_line(line, "---") && !is_line(line, "- default")))
			buffer_print(to, "%.*s\n", (int)length, line);
	}
}
