// SPDX-License-Identifier: MIT
/*
 * wheelctl completion: what a shell needs to complete its command lines. All of it
 * comes from the tables that parse them.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "fail.h"
#include "options.h"
#include "parse.h"

/* The kind of a word; WORD_NONE if it cannot be told in advance. */
enum word {
	WORD_NONE,
	WORD_FILE,
	WORD_PID,
	WORD_COMMAND,
	WORD_SHELL,
	WORD_CLOCK,
	WORD_SCHEME,
};

/* By the name of an operand or an argument, which may be in brackets. */
static enum word kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum word kind;
	} kinds[] = {
		{ "FILE", WORD_FILE }, { "PATH", WORD_FILE }, { "PID", WORD_PID },
		{ "COMMAND", WORD_COMMAND }, { "SHELL", WORD_SHELL },
		{ "CLOCK", WORD_CLOCK }, { "SCHEME", WORD_SCHEME },
	};
	size_t length;
	size_t i;

	if (!name)
		return WORD_NONE;
	name += *name == '[';
	length = strcspn(name, "]");
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == length &&
		    !strncmp(kinds[i].name, name, length))
			return kinds[i].kind;
	return WORD_NONE;
}

/* The tables of options that a command takes, and how many there are at most. */
#define TABLES	3

static void tables_of(const struct command *c,
		      const struct option_spec *tables[TABLES])
{
	tables[0] = c->options;
	tables[1] = c->sets_up ? setup_options : no_options;
	tables[2] = global_options;
}

/* Calls @put for each option of a command. */
static void each_option(const struct command *c,
			void (*put)(const struct command *c,
				    const struct option_spec *option))
{
	const struct option_spec *tables[TABLES];
	const struct option_spec *option;
	int i;

	tables_of(c, tables);
	for (i = 0; i < TABLES; i++)
		for (option = tables[i]; option->name; option++)
			if (option_is_for(option, c))
				put(c, option);
}

/* And for each that may stand before the command, which is NULL then. */
static void each_global_option(void (*put)(const struct command *c,
					   const struct option_spec *option))
{
	const struct option_spec *option;

	for (option = global_options; option->name; option++)
		put(NULL, option);
}

/* The words that a kind stands for, or nothing where there are too many. */
static void put_words(enum word kind)
{
	const struct command *const *c;
	u32 i;

	if (kind == WORD_CLOCK)
		for (i = 0; i <= WHEEL_CLOCK_VIRTUAL; i++)
			printf("%s%s", i ? " " : "", clock_name(i));
	if (kind == WORD_SCHEME)
		for (i = 0; i <= WHEEL_OVERFLOW; i++)
			printf("%s%s", i ? " " : "", scheme_name(i));
	if (kind == WORD_SHELL)
		fputs("bash zsh fish", stdout);
	if (kind == WORD_COMMAND)
		for (c = commands; *c; c++)
			printf("%s%s", c == commands ? "" : " ", (*c)->name);
}

/* Between single quotes, for zsh without what means something in a specification. */
static void put_text(const char *text)
{
	for (; *text; text++)
		if (!strchr("'[]\\", *text))
			putchar(*text == ':' ? ',' : *text);
}

static void put_bash_reply(enum word kind)
{
	switch (kind) {
	case WORD_FILE:
		puts("compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))");
		return;
	case WORD_PID:
		puts("COMPREPLY=($(compgen -W \"$(ps -eo pid=)\" -- \"$current\"))");
		return;
	default:
		fputs("COMPREPLY=($(compgen -W '", stdout);
		put_words(kind);
		puts("' -- \"$current\"))");
	}
}

static void put_bash_argument(const struct command *c,
			      const struct option_spec *option)
{
	if (!option->argument)
		return;
	printf("\t%s:--%s) ", c->name, option->name);
	if (kind_of(option->argument) != WORD_NONE)
		put_bash_reply(kind_of(option->argument));
	else
		putchar('\n');
	puts("\t\treturn ;;");
}

static void put_bash_option(const struct command *c,
			    const struct option_spec *option)
{
	(void)c;
	printf(" --%s", option->name);
}

static void for_bash(void)
{
	const struct command *const *c;

	puts("# bash completion of wheelctl, as wheelctl completion bash prints it\n"
	     "# shellcheck shell=bash disable=SC2207\n"
	     "_wheelctl() {\n"
	     "\tlocal current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
	     "\tlocal command='' i\n\n"
	     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	     "\t\tcase ${COMP_WORDS[i]} in\n"
	     "\t\t--) compopt -o default; return ;;\n"
	     "\t\t--device) i=$((i + 1)) ;;\n"
	     "\t\t-*) ;;\n"
	     "\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\tcase $command:$last in\n"
	     "\t:--device) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))\n"
	     "\t\treturn ;;");
	for (c = commands; *c; c++)
		each_option(*c, put_bash_argument);
	puts("\tesac");
	puts("\tcase $command:$current in");
	for (c = commands; *c; c++) {
		printf("\t%s:-*) COMPREPLY=($(compgen -W '", (*c)->name);
		each_option(*c, put_bash_option);
		puts("' -- \"$current\")) ;;");
		if (!(*c)->operand)
			continue;
		printf("\t%s:*) ", (*c)->name);
		put_bash_reply(kind_of((*c)->operand));
		puts("\t\t;;");
	}
	fputs("\t:-*) COMPREPLY=($(compgen -W '", stdout);
	each_global_option(put_bash_option);
	fputs("' -- \"$current\")) ;;\n\t:*) ", stdout);
	put_bash_reply(WORD_COMMAND);
	puts("\t\t;;\n\tesac\n}\ncomplete -F _wheelctl wheelctl");
}

static void put_zsh_kind(enum word kind)
{
	if (kind == WORD_FILE) {
		fputs("_files", stdout);
	} else if (kind == WORD_PID) {
		fputs("_pids", stdout);
	} else if (kind != WORD_NONE) {
		putchar('(');
		put_words(kind);
		putchar(')');
	}
}

static void put_zsh_option(const struct command *c,
			   const struct option_spec *option)
{
	(void)c;
	printf("\t\t\t'--%s%s[", option->name, option->argument ? "=" : "");
	put_text(option->help);
	putchar(']');
	if (option->argument) {
		printf(":%s:", option->argument);
		put_zsh_kind(kind_of(option->argument));
	}
	puts("' \\");
}

static void put_zsh_command(const struct command *c)
{
	printf("\t%s)\n\t\t_arguments \\\n", c->name);
	each_option(c, put_zsh_option);
	if (c->operand) {
		fputs("\t\t\t'1:", stdout);
		put_text(c->operand);
		putchar(':');
		put_zsh_kind(kind_of(c->operand));
		puts("' \\");
	}
	if (c->rest)
		puts("\t\t\t'*::command:_normal' \\");
	puts("\t\t\t&& return\n\t\t;;");
}

static void for_zsh(void)
{
	const struct command *const *c;

	puts("#compdef wheelctl\n"
	     "# as wheelctl completion zsh prints it\n"
	     "_wheelctl() {\n"
	     "\tlocal curcontext=$curcontext state line\n"
	     "\tlocal -a commands=(");
	for (c = commands; *c; c++) {
		printf("\t\t'%s:", (*c)->name);
		put_text((*c)->summary);
		puts("'");
	}
	puts("\t)\n"
	     "\t_arguments -C \\");
	each_global_option(put_zsh_option);
	puts("\t\t\t'1:command:->command' '*::argument:->argument' && return\n"
	     "\tif [[ $state == command ]]; then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase $words[1] in");
	for (c = commands; *c; c++)
		put_zsh_command(*c);
	puts("\tesac\n}\n_wheelctl \"$@\"");
}

static void put_fish_kind(enum word kind)
{
	if (kind == WORD_FILE) {
		fputs(" -r -F", stdout);
	} else if (kind == WORD_PID) {
		fputs(" -x -a '(__fish_complete_pids)'", stdout);
	} else {
		fputs(" -x -a '", stdout);
		put_words(kind);
		putchar('\'');
	}
}

static void put_fish_condition(const struct command *c)
{
	if (c)
		printf("complete -c wheelctl -n '__fish_seen_subcommand_from %s'", c->name);
	else
		fputs("complete -c wheelctl -n __wheelctl_needs_command", stdout);
}

/* Of an option's argument fish would think that it is the command. */
static void put_fish_function(void)
{
	const struct option_spec *option;

	fputs("function __wheelctl_needs_command\n"
	      "\tset -l words (commandline -opc)\n"
	      "\tset -e words[1]\n"
	      "\targparse -s", stdout);
	for (option = global_options; option->name; option++)
		printf(" '%s%s'", option->name, option->argument ? "=" : "");
	puts(" -- $words 2>/dev/null; and not set -q argv[1]\n"
	     "end");
}

static void put_fish_option(const struct command *c,
			    const struct option_spec *option)
{
	put_fish_condition(c);
	printf(" -l %s", option->name);
	if (option->argument)
		put_fish_kind(kind_of(option->argument));
	fputs(" -d '", stdout);
	put_text(option->help);
	puts("'");
}

static void for_fish(void)
{
	const struct command *const *c;

	puts("# fish completion of wheelctl, as wheelctl completion fish prints it\n"
	     "complete -c wheelctl -f");
	put_fish_function();
	each_global_option(put_fish_option);
	for (c = commands; *c; c++) {
		put_fish_condition(NULL);
		printf(" -a %s -d '", (*c)->name);
		put_text((*c)->summary);
		puts("'");
		each_option(*c, put_fish_option);
		if (kind_of((*c)->operand) == WORD_NONE)
			continue;
		put_fish_condition(*c);
		put_fish_kind(kind_of((*c)->operand));
		putchar('\n');
	}
}

static int run(const char *shell)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{ "bash", for_bash }, { "zsh", for_zsh }, { "fish", for_fish },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shells); i++) {
		if (strcmp(shell, shells[i].name))
			continue;
		shells[i].print();
		return 0;
	}
	fail(EXIT_ASKED, "SHELL '%s' is not bash, zsh or fish", shell);
}

const struct command completion_command = {
	.name = "completion",
	.operand = "SHELL",
	.summary = "what a shell needs to complete command lines",
	.details =
	"Prints the completion of wheelctl for bash, zsh or fish. An installation has\n"
	"put it where these shells look. For this shell alone:\n"
	"\n"
	"  source <(wheelctl completion bash)",
	.options = no_options,
	.plain = "",
	.run = run,
};
