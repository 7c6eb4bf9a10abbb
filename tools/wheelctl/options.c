// SPDX-License-Identifier: MIT
/*
 * Command-line options, help texts, and suggestions for misspelt words.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "text.h"

/* getopt_long() returns FIRST_OPTION plus the index of a long option. */
#define FIRST_OPTION	256
#define MOST_OPTIONS	20

/* Longer words are not compared; all commands and options are shorter. */
#define LONGEST_WORD	32

struct globals globals = {
	.device = "/dev/wheel",
};

const struct option_spec global_options[] = {
	{ "device", "PATH", "use this device; default: /dev/wheel", parse_string,
	  &globals.device },
	{ "json", NULL, "print one JSON document", parse_flag, &globals.json },
	{ "help", NULL, "print this help and exit", parse_flag, &globals.help },
	{ "version", NULL, "print the version and exit", parse_flag, &globals.version },
	{ NULL }
};

static const struct option_spec no_options[] = { { NULL } };

/* Parser state before the command is known. */
static const struct command no_command = {
	.name = "",
	.options = no_options,
};

static size_t least(size_t a, size_t b, size_t c)
{
	if (a > b)
		a = b;
	return a < c ? a : c;
}

/*
 * The number of letters to insert, delete, replace or swap with their neighbour to change @a
 * into @b. Only the last three rows of the matrix are stored.
 */
static size_t distance(const char *a, const char *b)
{
	size_t row[3][LONGEST_WORD + 1];
	size_t wide = strlen(b);
	size_t i, j;

	for (j = 0; j <= wide; j++)
		row[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t *now = row[i % 3];
		const size_t *last = row[(i + 2) % 3];
		const size_t *older = row[(i + 1) % 3];

		now[0] = i;
		for (j = 1; j <= wide; j++) {
			now[j] = least(last[j] + 1, now[j - 1] + 1,
				       last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], older[j - 2] + 1, now[j]);
		}
	}
	return row[strlen(a) % 3][wide];
}

/* One third of the letters may differ, and one letter of a short word. */
void near_begin(struct near *n, const char *word)
{
	n->word = word;
	n->best = NULL;
	n->distance = strlen(word) / 3 + 1;
	if (n->distance < 2)
		n->distance = 2;
}

void near_offer(struct near *n, const char *candidate)
{
	size_t length = strlen(n->word);
	size_t d;

	if (!length || length > LONGEST_WORD || strlen(candidate) > LONGEST_WORD)
		return;
	/* The beginning of a word is near, regardless of the missing letters. */
	d = strncmp(n->word, candidate, length) ? distance(n->word, candidate) : 1;
	if (d < n->distance) {
		n->distance = d;
		n->best = candidate;
	}
}

void options_version(void)
{
	printf("%s " WHEELCTL_VERSION "\n", program);
}

void options_explain(const struct option_spec *options, bool json)
{
	for (; options->name; options++) {
		int width;

		if (options->value == &globals.json && !json)
			continue;
		width = printf("  --%s %s", options->name,
			       options->argument ? options->argument : "");
		printf("%*s%s\n", width < 20 ? 20 - width : 1, "", options->help);
	}
}

void options_help(const struct command *command)
{
	printf("Usage: %s%s%s [OPTION...]%s%s\n\n%s\n", program, *command->name ? " " : "",
	       command->name, command->operand ? " " : "",
	       command->operand ? command->operand : "", command->details);
	if (command->options->name) {
		puts("\nOptions:");
		options_explain(command->options, true);
	}
	if (command->sets_up) {
		puts("\nOptions of the wheel:");
		options_explain(setup_options, true);
	}
	puts("\nGeneral options:");
	options_explain(global_options, !command->no_json);
}

static size_t collect(const struct option_spec **specs, size_t count,
		      const struct option_spec *table)
{
	for (; table->name && count < MOST_OPTIONS; table++)
		specs[count++] = table;
	return count;
}

/* Report an error in the words of a command line, and point to the help text. */
static void __noreturn refuse(const struct command *command, const char *what, const char *word,
			      const char *suggestion)
{
	const char *space = *command->name ? " " : "";
	char meant[64] = "; see";

	if (suggestion)
		snprintf(meant, sizeof(meant), "; did you mean '--%s'? See", suggestion);
	fail(EXIT_USAGE, "%s%s%s '%s'%s %s %s%s--help", command->name, *space ? ": " : "", what,
	     word, meant, program, command->name, space);
}

static void __noreturn refuse_unknown(const struct command *command,
				      const struct option_spec *const *specs, size_t count,
				      const char *text)
{
	struct near near;
	char word[40];
	size_t i;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
	near_begin(&near, word + strspn(word, "-"));
	for (i = 0; i < count; i++)
		near_offer(&near, specs[i]->name);
	refuse(command, "unknown option", text, near.best);
}

static void set(const struct option_spec *spec, const char *argument)
{
	const char *expected = spec->parse(argument, spec->value);

	if (expected)
		fail(EXIT_USAGE, "--%s '%s' is not %s", spec->name, argument, expected);
}

static struct text short_name(int letter)
{
	return (struct text){ { '-', (char)letter, '\0' } };
}

/* Parse options, which come first if @flags contains "+"; return the index of the operands. */
static int parse(const struct command *command, int argc, char **argv, const char *flags)
{
	const struct option_spec *specs[MOST_OPTIONS];
	struct option longs[MOST_OPTIONS + 1] = { 0 };
	size_t count = collect(specs, 0, command->options);
	size_t i;
	int c;

	if (command->sets_up)
		count = collect(specs, count, setup_options);
	count = collect(specs, count, global_options);
	for (i = 0; i < count; i++)
		longs[i] = (struct option){
			.name = specs[i]->name,
			.has_arg = specs[i]->argument ? required_argument : no_argument,
			.val = FIRST_OPTION + (int)i,
		};
	/* With 0, glibc starts again and reads the flags. */
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, flags, longs, NULL)) != -1) {
		if (c == 'h')
			globals.help = true;
		else if (c == ':')
			refuse(command, "missing argument of option", argv[optind - 1], NULL);
		else if (c == '?' && optopt >= FIRST_OPTION)
			refuse(command, "unexpected argument in", argv[optind - 1], NULL);
		else if (c == '?' && optopt)
			refuse(command, "unknown option", short_name(optopt).s, NULL);
		else if (c == '?')
			refuse_unknown(command, specs, count, argv[optind - 1]);
		else
			set(specs[c - FIRST_OPTION], optarg);
	}
	return optind;
}

int options_take_globals(int argc, char **argv)
{
	return parse(&no_command, argc, argv, "+:h");
}

static void __noreturn explain_and_exit(const struct command *command)
{
	if (globals.help)
		options_help(command);
	else
		options_version();
	flush_or_fail();
	exit(0);
}

const char *options_take(const struct command *command, int argc, char **argv)
{
	int at = parse(command, argc, argv, ":h");
	const char *space = *command->name ? " " : "";
	int most = command->operand ? 1 : 0;

	if (argc - at > most)
		refuse(command, "unexpected argument", argv[at + most], NULL);
	if (globals.help || globals.version)
		explain_and_exit(command);
	if (command->no_json && globals.json)
		fail(EXIT_USAGE, "%s: --json is not supported%s", command->name, command->no_json);
	if (most && *command->operand != '[' && at == argc)
		fail(EXIT_USAGE, "%s%smissing %s; see %s %s%s--help", command->name,
		     *space ? ": " : "", command->operand, program, command->name, space);
	setup_settle(&globals.setup);
	return argv[at];
}
