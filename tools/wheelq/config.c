// SPDX-License-Identifier: MIT
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define SPACES	" \t\r\n"

/* Remove the comment, and spaces at both ends. */
static char *trim(char *line)
{
	char *end;

	line[strcspn(line, "#")] = '\0';
	line += strspn(line, SPACES);
	for (end = line + strlen(line); end > line; end--)
		if (!strchr(SPACES, end[-1]))
			break;
	*end = '\0';
	return line;
}

void config_read(const char *path, void *context,
		 bool (*take)(void *context, const char *name,
			      const char *value))
{
	FILE *file = fopen(path, "re");
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;

	if (!file)
		fail(EXIT_USAGE, "%s: %s", path, strerror(errno));
	while (getline(&line, &room, file) >= 0) {
		char *name = trim(line);
		char *value = name + strcspn(name, SPACES);

		number++;
		if (!*name)
			continue;
		if (*value)
			*value++ = '\0';
		value += strspn(value, SPACES);
		if (!*value)
			fail(EXIT_USAGE, "%s:%u: '%s' needs a value", path,
			     number, name);
		if (!take(context, name, copied(value)))
			fail(EXIT_USAGE,
			     "%s:%u: unknown option '%s'; see wheelq --help",
			     path, number, name);
	}
	if (ferror(file))
		fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	free(line);
	fclose(file);
}
