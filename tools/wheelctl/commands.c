// SPDX-License-Identifier: MIT
/*
 * All commands: what help, completion and near misses know.
 */
#include "commands.h"

#include <string.h>

#include "fail.h"
#include "near.h"

const struct command *const commands[] = {
	&info_command,
	&arm_command,
	&list_command,
	&stats_command,
	&watch_command,
	&save_command,
	&restore_command,
	&every_command,
	&at_command,
	&run_command,
	&replay_command,
	&help_command,
	&completion_command,
	NULL
};

/**
 * command_named - the command of this name; if there is none, the end
 * @name: as it was written
 *
 * Return: the command.
 */
const struct command *command_named(const char *name)
{
	const struct command *const *c;
	struct near near;

	near_begin(&near, name);
	for (c = commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
		near_offer(&near, (*c)->name);
	}
	if (near.best)
		fail(EXIT_ASKED,
		     "'%s' is not a command; did you mean '%s'? See wheelctl --help",
		     name, near.best);
	fail(EXIT_ASKED, "'%s' is not a command; see wheelctl --help", name);
}
