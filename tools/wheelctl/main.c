// SPDX-License-Identifier: MIT
/*
 * wheelctl: look into /dev/wheel, and put it to the test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "help.h"
#include "options.h"
#include "wheelctl.h"

static const struct command *const commands[] = {
	&info_command,
	&arm_command,
	&stats_command,
	&list_command,
	&replay_command,
};

static void explain_all(void)
{
	size_t i;

	puts("Usage: wheelctl COMMAND [OPTION...]\n\n"
	     "Looks into /dev/wheel, and puts it to the test.\n\nCommands:");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = commands[i];
		int width = printf("  %s %s", c->name,
				   c->operand ? c->operand : "");

		printf("%*s%s\n", 20 - width, "", c->summary);
	}
	help_globals();
	puts("\nExit status: 0: fine; 1: the device or the system refused; 2: it was asked\n"
	     "for something that makes no sense; 3: the device broke a promise; 130: it was\n"
	     "interrupted.");
}

int main(int argc, char **argv)
{
	int at = options_take_globals(argc, argv);
	size_t i;
	int status;

	if (at == argc && globals.help) {
		explain_all();
		return 0;
	}
	if (at == argc)
		fail(EXIT_ASKED, "needs a command; see wheelctl --help");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, argv[at]))
			break;
	if (i == ARRAY_SIZE(commands))
		fail(EXIT_ASKED,
		     "'%s' is not a command; see wheelctl --help", argv[at]);
	status = commands[i]->run(options_take(commands[i], argc - at,
					       argv + at));
	flush_or_fail();
	return status;
}
