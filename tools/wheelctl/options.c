// SPDX-License-Identifier: MIT
/*
 * A command's options: a table that parses and explains itself.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "help.h"
#include "near.h"
#include "parse.h"
#include "setup.h"

struct globals globals = {
	.device = "/dev/wheel",
	.setup.scheme = SETUP_BEST_SCHEME,
};

const struct option_spec global_options[] = {
	{ "device", "PATH", "the device; /dev/wheel", parse_string,
	  &globals.device },
	{ "json", NULL, "print one JSON document", parse_flag, &globals.json },
	{ "help", NULL, "explain and exit", parse_flag, &globals.help },
	{ "version", NULL, "say which version this is, and exit", parse_flag,
	  &globals.version },
	{ NULL }
};

const struct option_spec setup_options[] = {
	{ "clock", "CLOCK", "monotonic, boottime, realtime, tai or virtual; monotonic",
	  parse_clock, &globals.setup.clock },
	{ "scheme", "SCHEME", "hierarchical, hashed, bounded or overflow; what suits",
	  parse_scheme, &globals.setup.scheme },
	{ "tick", "TIME", "what times are rounded up to; 1ms", parse_interval,
	  &globals.setup.tick_ns },
	{ "buckets", "N", "of the ring, rounded up to a power of two", parse_buckets,
	  &globals.setup.buckets },
	{ NULL }
};

/* The options that were given, each once. */
static struct {
	const struct option_spec *option[32];
	size_t count;
} given;

const struct option_spec no_options[] = { { NULL } };

/* The words before the command. */
static const struct command no_command = {
	.name = "",
	.options = no_options,
};

static const struct option_spec *find_in(const struct option_spec *options,
					 const char *text)
{
	size_t length = strcspn(text, "=");

	for (; options->name; options++)
		if (strlen(options->name) == length &&
		    !strncmp(options->name, text, length))
			return options;
	return NULL;
}

/* The option that @text names, behind two dashes and up to the end or an '='. */
static const struct option_spec *find(const struct command *command,
				      const char *text)
{
	const struct option_spec *option;

	if (strncmp(text, "--", 2))
		return NULL;
	option = find_in(command->options, text + 2);
	if (!option && command->sets_up)
		option = find_in(setup_options, text + 2);
	return option ? option : find_in(global_options, text + 2);
}

static bool is_given(const char *name)
{
	size_t i;

	for (i = 0; i < given.count; i++)
		if (!strcmp(given.option[i]->name, name))
			return true;
	return false;
}

static void note_given(const struct option_spec *option)
{
	if (!is_given(option->name) && given.count < ARRAY_SIZE(given.option))
		given.option[given.count++] = option;
}

static void offer(struct near *near, const struct option_spec *options)
{
	for (; options->name; options++)
		near_offer(near, options->name);
}

/* An option that the command does not know; perhaps another was meant. */
static void __noreturn refuse_option(const struct command *command,
				     const char *text)
{
	const char *space = *command->name ? " " : "";
	char word[40], see[80] = "; see";
	struct near near;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
	near_begin(&near, word + strspn(word, "-"));
	offer(&near, command->options);
	if (command->sets_up)
		offer(&near, setup_options);
	offer(&near, global_options);
	if (near.best)
		snprintf(see, sizeof(see), "; did you mean '--%s'? See", near.best);
	fail(EXIT_ASKED, "%s%sdoes not know the option '%s'%s wheelctl %s%s--help",
	     command->name, space, text, see, command->name, space);
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
	const char *text = strcmp(argv[*at], "-h") ? argv[*at] : "--help";
	const struct option_spec *option = find(command, text);
	const char *argument = NULL;
	const char *wanted;

	if (!option)
		refuse_option(command, argv[*at]);
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
	note_given(option);
}

/**
 * option_is_for - does an option mean anything to a command?
 * @option: one of the tables that the command takes
 * @command: the command, or NULL: any
 *
 * Return: whether it does.
 */
bool option_is_for(const struct option_spec *option, const struct command *command)
{
	return !command || !command->plain || option->value != &globals.json;
}

static bool is_one_of(const struct option_spec *option,
		      const struct option_spec *options)
{
	for (; options->name; options++)
		if (option == options)
			return true;
	return false;
}

/* An option that would do nothing is refused. */
static void check_given(const struct command *command)
{
	const char *needs = command->setup_needs;
	const char *alone = command->alone;
	size_t i;

	if (command->plain && globals.json)
		fail(EXIT_ASKED, "%s: --json means nothing here%s", command->name,
		     command->plain);
	for (i = 0; i < given.count; i++) {
		const struct option_spec *option = given.option[i];

		if (needs && !is_given(needs) &&
		    is_one_of(option, setup_options))
			fail(EXIT_ASKED, "%s: --%s means nothing without --%s",
			     command->name, option->name, needs);
		if (alone && is_given(alone) && strcmp(option->name, alone) &&
		    !is_one_of(option, global_options))
			fail(EXIT_ASKED, "%s: --%s means nothing with --%s",
			     command->name, option->name, alone);
	}
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

/* The one operand, which in brackets may be missing. */
static void check_operand(const struct command *command, const char *operand)
{
	if (command->operand && *command->operand != '[' && !operand)
		fail(EXIT_ASKED, "%s needs a %s; see wheelctl %s --help",
		     command->name, command->operand, command->name);
	if (command->rest && (!globals.rest || !*globals.rest))
		fail(EXIT_ASKED, "%s needs -- and a %s; see wheelctl %s --help",
		     command->name, command->rest, command->name);
}

/**
 * options_take - take what follows a command
 * @command: the command
 * @argc: how much
 * @argv: the first is the command's name, behind the last is NULL
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

	for (i = 1; i < argc && !globals.rest; i++) {
		if (!only_operands && !strcmp(argv[i], "--")) {
			only_operands = true;
			if (command->rest)
				globals.rest = argv + i + 1;
		} else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
			take(command, argc, argv, &i);
		} else if (operand || !command->operand) {
			refuse(command, command->rest ? "needs -- before " :
			       "does not expect ", argv[i]);
		} else {
			operand = argv[i];
		}
	}
	if (globals.help) {
		help_of(command);
		flush_or_fail();
		exit(0);
	}
	if (globals.version) {
		help_version();
		flush_or_fail();
		exit(0);
	}
	check_given(command);
	check_operand(command, operand);
	setup_settle(&globals.setup);
	return operand;
}
