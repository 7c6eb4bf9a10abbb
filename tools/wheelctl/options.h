/* SPDX-License-Identifier: MIT */
/*
 * A command's options: a table that parses and explains itself.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "wheelctl.h"

/**
 * struct option_spec - one option
 * @name: without the dashes
 * @argument: what to call its argument, NULL: it has none; completion knows these
 *	names
 * @help: one line
 * @parse: reads the argument; returns NULL or what it should have been
 * @value: where the value goes
 */
struct option_spec {
	const char *name;
	const char *argument;
	const char *help;
	const char *(*parse)(const char *text, void *value);
	void *value;
};

extern const struct option_spec no_options[];
extern const struct option_spec global_options[];
extern const struct option_spec setup_options[];

bool option_is_for(const struct option_spec *option, const struct command *command);
int options_take_globals(int argc, char **argv);
const char *options_take(const struct command *command, int argc, char **argv);

#endif
