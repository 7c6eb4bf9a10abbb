/* SPDX-License-Identifier: MIT */
/*
 * A text file, compressed or not.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdio.h>
#include <sys/types.h>

/**
 * struct source - an open file
 * @path: its name
 * @text: its lines
 * @gzip: the process that decompresses it, or 0
 */
struct source {
	const char *path;
	FILE *text;
	pid_t gzip;
};

void source_open(struct source *s, const char *path);
const char *source_cut(char *text, size_t length);
void source_close(struct source *s);
void source_abandon(struct source *s);

#endif
