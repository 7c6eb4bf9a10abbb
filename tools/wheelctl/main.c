// SPDX-License-Identifier: MIT
/*
 * wheelctl: look into /dev/wheel, put it to the test, run commands by it.
 */
#include "commands.h"
#include "fail.h"
#include "help.h"
#include "options.h"
#include "wheelctl.h"

int main(int argc, char **argv)
{
	int at = options_take_globals(argc, argv);
	const struct command *command;
	int status;

	if (at == argc && globals.help) {
		help_all();
		flush_or_fail();
		return 0;
	}
	if (at == argc && globals.version) {
		help_version();
		flush_or_fail();
		return 0;
	}
	if (at == argc)
		fail(EXIT_ASKED, "needs a command; see wheelctl --help");
	command = command_named(argv[at]);
	status = command->run(options_take(command, argc - at, argv + at));
	flush_or_fail();
	return status;
}
