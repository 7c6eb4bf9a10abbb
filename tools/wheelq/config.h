/* SPDX-License-Identifier: MIT */
/*
 * A file of options: one per line, with a name and a value. "#" begins a comment.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>

/*
 * Call @take for each option of a file. It returns false if the name is unknown. Exit if the file
 * is invalid or cannot be read. @value remains allocated.
 */
void config_read(const char *path, void *context,
		 bool (*take)(void *context, const char *name,
			      const char *value));

#endif
