// SPDX-License-Identifier: MIT
/*
 * wheelctl: shows and controls the wheels of /dev/wheel.
 */
#include <stdio.h>
#include <string.h>

#include "util.h"

const char *const program = "wheelctl";

const struct command *const commands[] = {
	&info_command,
	&arm_command,
	&list_command,
	&stats_command,
	&watch_command,
	&save_command,
	&restore_command,
	&help_command,
	NULL
};

static void help_all(void)
{
	const struct command *const *c;

	puts("Usage: wheelctl COMMAND [OPTION...]\n\n"
	     "Shows and controls the wheels of /dev/wheel.\n\n"
	     "Commands:");
	for (c = commands; *c; c++) {
		int width = printf("  %s %s", (*c)->name, (*c)->operand ? (*c)->operand : "");

		printf("%*s%s\n", width < 20 ? 20 - width : 1, "", (*c)->summary);
	}
	puts("\nGeneral options:");
	options_explain(global_options, true);
	puts("\nDetails: wheelctl help COMMAND, or man wheelctl.\n\n"
	     "Exit status: 0: success; 1: the device or the system failed; 2: the command line\n"
	     "or an input file is invalid; 3: the device broke a guarantee; 130: interrupted.");
}

/* An unknown command ends the program with a suggestion. */
static const struct command *command_named(const char *name)
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
		fail(EXIT_USAGE, "'%s' is not a command; did you mean '%s'? See wheelctl --help",
		     name, near.best);
	fail(EXIT_USAGE, "'%s' is not a command; see wheelctl --help", name);
}

static int run_help(const char *name)
{
	if (name)
		options_help(command_named(name));
	else
		help_all();
	return 0;
}

const struct command help_command = {
	.name = "help",
	.operand = "[COMMAND]",
	.summary = "explain a command, or list all commands",
	.details = "Explains a command and its options, or lists all commands.",
	.options = (const struct option_spec[]){ { NULL } },
	.no_json = "",
	.run = run_help,
};

int main(int argc, char **argv)
{
	const struct command *command;
	int status = 0;
	int at;

	open_standard_files();
	at = options_take_globals(argc, argv);
	if (at < argc) {
		command = command_named(argv[at]);
		status = command->run(options_take(command, argc - at, argv + at));
	} else if (globals.help) {
		help_all();
	} else if (globals.version) {
		options_version();
	} else {
		fail(EXIT_USAGE, "missing command; see wheelctl --help");
	}
	flush_or_fail();
	return status;
}
