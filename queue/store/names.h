/* SPDX-License-Identifier: MIT */
/*
 * Detect that files were renamed or removed.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

struct stat;

/*
 * Return: a descriptor that is readable once a file in the directory of @path may have been renamed
 * or removed, or a directory above it renamed; 0 if inotify is not available. The path is absolute,
 * without symbolic links. Its memory is overwritten.
 */
int names_watch(char *path);
/* Make it unreadable until the next change. */
void names_read(int fd);
/* Return: true if @name is the name of @file. */
bool names_find(const char *name, const struct stat *file);

#endif
