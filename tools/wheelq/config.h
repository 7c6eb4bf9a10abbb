/* SPDX-License-Identifier: MIT */
/*
 * A file of settings: a line each, a name and a value, "#" begins a comment.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>

/*
 * Give each setting of a file to @take, which says whether there is one of that
 * name. What makes no sense ends the program. @value stays where it is.
 */
void config_read(const char *path, void *context,
		 bool (*take)(void *context, const char *name,
			      const char *value));

#endif
