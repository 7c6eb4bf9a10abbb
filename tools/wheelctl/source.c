// SPDX-License-Identifier: MIT
/*
 * A text file, compressed or not.
 */
#define _GNU_SOURCE
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "wheelctl.h"

#define NO_GZIP	127

static bool is_compressed(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

static bool is_folder(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISDIR(status.st_mode);
}

/* Reads @fd through gzip. Returns the descriptor of what comes out. */
static int decompress(struct source *s, int fd)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		fail(EXIT_DEVICE, "pipe: %s", strerror(errno));
	s->gzip = fork();
	if (s->gzip < 0)
		fail(EXIT_DEVICE, "fork: %s", strerror(errno));
	if (!s->gzip) {
		dup2(fd, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		/* Its exit status says enough. */
		close(STDERR_FILENO);
		execlp("gzip", "gzip", "-dc", (char *)NULL);
		_exit(NO_GZIP);
	}
	close(ends[1]);
	close(fd);
	return ends[0];
}

/**
 * source_open - open a file; through gzip when its name ends in .gz
 * @s: set up
 * @path: the name
 */
void source_open(struct source *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail(EXIT_ASKED, "%s: %s", path, strerror(errno));
	/* gzip's exit status would not tell. */
	if (is_folder(fd))
		fail(EXIT_ASKED, "%s: %s", path, strerror(EISDIR));
	s->path = path;
	s->gzip = 0;
	if (is_compressed(path))
		fd = decompress(s, fd);
	s->text = fdopen(fd, "r");
	if (!s->text)
		fail(EXIT_DEVICE, "%s: %s", path, strerror(errno));
}

/**
 * source_cut - cut the line feed off a line
 * @text: line, as getline() read it
 * @length: its length, 1 or more
 *
 * Return: NULL, or what is wrong with the line.
 */
const char *source_cut(char *text, size_t length)
{
	if (text[length - 1] == '\n')
		text[--length] = '\0';
	if (strlen(text) != length)
		return "has a zero byte";
	if (length && text[length - 1] == '\r')
		return "ends in a carriage return; expected a line feed alone";
	return NULL;
}

/**
 * source_close - be sure that all of it was read
 * @s: read up to its end, and nothing else done since
 */
void source_close(struct source *s)
{
	int status = 0;

	if (ferror(s->text))
		fail(EXIT_ASKED, "%s: %s", s->path, strerror(errno));
	fclose(s->text);
	if (!s->gzip)
		return;
	if (waitpid(s->gzip, &status, 0) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status))
		fail(EXIT_ASKED, "%s: gzip -dc %s", s->path,
		     WIFEXITED(status) && WEXITSTATUS(status) == NO_GZIP ?
		     "could not be run" : "failed: the file is damaged");
}

/**
 * source_abandon - enough of it was read
 * @s: open
 */
void source_abandon(struct source *s)
{
	fclose(s->text);
	/* It writes to nobody now, which ends it. */
	if (s->gzip)
		waitpid(s->gzip, NULL, 0);
}
