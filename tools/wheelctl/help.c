// SPDX-License-Identifier: MIT
/*
 * What --help says.
 */
#include "help.h"

#include <stdio.h>

#include "options.h"

static void explain(const struct option_spec *options)
{
	for (; options->name; options++) {
		int width = printf("  --%s %s", options->name,
				   options->argument ? options->argument : "");

		printf("%*s%s\n", width < 20 ? 20 - width : 1, "",
		       options->help);
	}
}

/**
 * help_globals - the options of every command
 */
void help_globals(void)
{
	puts("\nOptions of every command:");
	explain(global_options);
}

/**
 * help_command - one command
 * @command: the command
 */
void help_command(const struct command *command)
{
	printf("Usage: wheelctl %s [OPTION...]%s%s\n\n%s\n", command->name,
	       command->operand ? " " : "",
	       command->operand ? command->operand : "", command->details);
	if (command->options->name) {
		puts("\nOptions:");
		explain(command->options);
	}
	if (command->sets_up) {
		printf("\nWhich wheel%s%s:\n",
		       command->setup_needs ? ", with --" : "",
		       command->setup_needs ? command->setup_needs : "");
		explain(setup_options);
	}
	help_globals();
}
