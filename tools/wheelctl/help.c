// SPDX-License-Identifier: MIT
/*
 * wheelctl help, and what --help says.
 */
#include "help.h"

#include <stdio.h>

#include "commands.h"
#include "options.h"

/* The options of a table; of a command, or NULL, those that mean something to it. */
static void explain(const struct option_spec *options, const struct command *command)
{
	int width;

	for (; options->name; options++) {
		if (!option_is_for(options, command))
			continue;
		width = printf("  --%s %s", options->name,
			       options->argument ? options->argument : "");
		printf("%*s%s\n", width < 20 ? 20 - width : 1, "",
		       options->help);
	}
}

/**
 * help_version - which wheelctl this is
 */
void help_version(void)
{
	puts("wheelctl " WHEELCTL_VERSION);
}

static void explain_globals(const struct command *command)
{
	puts("\nOptions of every command:");
	explain(global_options, command);
}

/**
 * help_all - the commands
 */
void help_all(void)
{
	const struct command *const *c;

	puts("Usage: wheelctl COMMAND [OPTION...]\n\n"
	     "Looks into /dev/wheel, puts it to the test, and runs commands by it.\n\n"
	     "Commands:");
	for (c = commands; *c; c++) {
		int width = printf("  %s %s", (*c)->name,
				   (*c)->operand ? (*c)->operand : "");

		printf("%*s%s\n", width < 20 ? 20 - width : 1, "",
		       (*c)->summary);
	}
	explain_globals(NULL);
	puts("\nOne of them: wheelctl help COMMAND, or man wheelctl.\n\n"
	     "Exit status: 0: fine; 1: the device or the system refused; 2: it was asked\n"
	     "for something that makes no sense; 3: the device broke a promise; 130: it was\n"
	     "interrupted.");
}

/**
 * help_of - one command
 * @command: the command
 */
void help_of(const struct command *command)
{
	printf("Usage: wheelctl %s [OPTION...]%s%s%s%s\n\n%s\n", command->name,
	       command->operand ? " " : "",
	       command->operand ? command->operand : "",
	       command->rest ? " -- " : "", command->rest ? command->rest : "",
	       command->details);
	if (command->options->name) {
		puts("\nOptions:");
		explain(command->options, command);
	}
	if (command->sets_up) {
		printf("\nWhich wheel%s%s:\n",
		       command->setup_needs ? ", with --" : "",
		       command->setup_needs ? command->setup_needs : "");
		explain(setup_options, command);
	}
	explain_globals(command);
}

static int run(const char *name)
{
	if (name)
		help_of(command_named(name));
	else
		help_all();
	return 0;
}

const struct command help_command = {
	.name = "help",
	.operand = "[COMMAND]",
	.summary = "explain a command, or name them all",
	.details = "Explains a command with its options, or names all commands.",
	.options = no_options,
	.plain = "",
	.run = run,
};
