// SPDX-License-Identifier: MIT
/*
 * A command's options: a table that parses and explains itself.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "parse.h"

struct globals globals = {
	.device = "/dev/wheel",
};

static const struct option_spec global_options[] = {
	{ "device", "PATH", "the device; /dev/wheel", parse_string,
	  &globals.device },
	{ "json", NULL, "print one JSON document", parse_flag, &globals.json },
	{ "help", NULL, "explain and exit", parse_flag, &globals.help },
	{ NULL }
};

static const struct option_spec setup_options[] = {
	{ "clock", "NAME", "monotonic or boottime; monotonic", parse_clock,
	  &globals.setup.clock },
	{ "scheme", "NAME", "hashed, hierarchical, bounded or overflow; hashed",
	  parse_scheme, &globals.setup.scheme },
	{ "tick", "TIME", "what times are rounded up to; 1ms", parse_duration,
	  &globals.setup.tick_ns },
	{ NULL }
};

/* What stands before the command. */
static const struct option_spec no_options[] = { { NULL } };
static const struct command no_command = {
	.name = "",
	.options = no_options,
};

/* The option that @text, behind its dashes, names up to the end or an '='. */
static const struct option_spec *find(const struct option_spec *options,
				      const char *text)
{
	size_t length = strcspn(text, "=");

	for (; options->name; options++)
		if (strlen(options->name) == length &&
		    !strncmp(options->name, text, length))
			return options;
	return NULL;
}

static void refuse(const struct command *command, const char *why,
		   const char *what)
{
	const char *space = *command->name ? " " : "";

	fail(EXIT_ASKED, "%s%s%s'%s'; see wheelctl %s%s--help", command->name,
	     space, why, what, command->name, space);
}

/* Takes argv[*at] and, if it needs one, the argument behind it. */
static void take(const struct command *command, int argc, char **argv, int *at)
{
	const struct option_spec *option;
	const char *text = argv[*at] + 2;
	const char *argument = NULL;
	const char *wanted;

	if (!strcmp(argv[*at], "-h"))
		text = "help";
	else if (argv[*at][1] != '-')
		refuse(command, "does not know the option ", argv[*at]);
	option = find(command->options, text);
	if (!option && command->sets_up)
		option = find(setup_options, text);
	if (!option)
		option = find(global_options, text);
	if (!option)
		refuse(command, "does not know the option ", argv[*at]);

	if (strchr(text, '='))
		argument = strchr(text, '=') + 1;
	if (option->argument && !argument) {
		if (*at + 1 == argc)
			refuse(command, "needs an argument behind ", argv[*at]);
		argument = argv[++*at];
	} else if (!option->argument && argument) {
		refuse(command, "wants no argument in ", argv[*at]);
	}
	wanted = option->parse(argument, option->value);
	if (wanted)
		fail(EXIT_ASKED, "--%s '%s' is not %s", option->name, argument,
		     wanted);
}

static void explain_options(const struct option_spec *options)
{
	for (; options->name; options++) {
		int width = printf("  --%s %s", options->name,
				   options->argument ? options->argument : "");

		printf("%*s%s\n", width < 20 ? 20 - width : 1, "",
		       options->help);
	}
}

/**
 * options_explain_globals - what --help says about the common options
 */
void options_explain_globals(void)
{
	puts("\nOptions of every command:");
	explain_options(global_options);
}

static void explain(const struct command *command)
{
	printf("Usage: wheelctl %s [OPTION...]%s%s\n\n%s\n", command->name,
	       command->operand ? " " : "",
	       command->operand ? command->operand : "", command->details);
	if (command->options->name) {
		puts("\nOptions:");
		explain_options(command->options);
	}
	if (command->sets_up) {
		puts("\nWhich wheel:");
		explain_options(setup_options);
	}
	options_explain_globals();
}

/**
 * options_take_globals - take the options before the command
 * @argc: as main() got it
 * @argv: as main() got it
 *
 * Return: where the command is in @argv.
 */
int options_take_globals(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++)
		take(&no_command, argc, argv, &i);
	return i;
}

/**
 * options_take - take what follows a command
 * @command: the command
 * @argc: how much
 * @argv: the first is the command's name
 *
 * Explains the command and exits when asked for help.
 *
 * Return: the operand, or NULL.
 */
const char *options_take(const struct command *command, int argc, char **argv)
{
	const char *operand = NULL;
	bool only_operands = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (!only_operands && !strcmp(argv[i], "--"))
			only_operands = true;
		else if (!only_operands && argv[i][0] == '-' && argv[i][1])
			take(command, argc, argv, &i);
		else if (operand || !command->operand)
			refuse(command, "does not expect ", argv[i]);
		else
			operand = argv[i];
	}
	if (globals.help) {
		explain(command);
		exit(0);
	}
	if (command->operand && !operand)
		fail(EXIT_ASKED, "%s needs a %s; see wheelctl %s --help",
		     command->name, command->operand, command->name);
	return operand;
}
