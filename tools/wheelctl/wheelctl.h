/* SPDX-License-Identifier: MIT */
/*
 * Definitions shared by all commands of wheelctl, and by replay.
 */
#ifndef WHEELCTL_H
#define WHEELCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <linux/wheel_timer.h>

typedef __u64 u64;
typedef __u32 u32;
typedef __u8 u8;

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NEVER		(~0ULL)

/* An event that is this late is considered lost, even on a loaded machine. */
#define LOST_AFTER_NS	(10 * NSEC_PER_SEC)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Exit statuses, in addition to 0 and 128 + the number of a signal. */
#define EXIT_DEVICE	1	/* the device or the system failed */
#define EXIT_USAGE	2	/* the command line or an input file is invalid */
#define EXIT_BROKEN	3	/* the device broke a guarantee */

/**
 * struct option_spec - a command-line option
 * @name: name without the dashes
 * @argument: name of the argument in help texts, or NULL if the option takes none
 * @help: one-line description
 * @parse: converts the argument; returns NULL or a description of valid arguments
 * @value: destination of the converted argument
 */
struct option_spec {
	const char *name;
	const char *argument;
	const char *help;
	const char *(*parse)(const char *text, void *value);
	void *value;
};

/**
 * struct command - a command of wheelctl, or a program without commands
 * @name: name of the command, "" for a program without commands
 * @operand: name of the operand, in brackets if it is optional, or NULL
 * @summary: one-line description
 * @details: description for the command's help
 * @options: options; the last has a NULL name
 * @sets_up: true if the command accepts the options in setup_options
 * @no_json: NULL, or advice for --json, which the command does not support
 * @run: runs the command; returns the exit status
 */
struct command {
	const char *name;
	const char *operand;
	const char *summary;
	const char *details;
	const struct option_spec *options;
	bool sets_up;
	const char *no_json;
	int (*run)(const char *operand);
};

/**
 * struct globals - options shared by all commands
 * @device: path of the device
 * @json: print one JSON document
 * @help: print the help text and exit
 * @version: print the version and exit
 * @setup: requested wheel
 */
struct globals {
	const char *device;
	bool json;
	bool help;
	bool version;
	struct wheel_setup setup;
};

extern struct globals globals;

/* Name of this program, as printed before its messages. */
extern const char *const program;

/* All commands; the last entry is NULL. */
extern const struct command *const commands[];

extern const struct command info_command;
extern const struct command arm_command;
extern const struct command list_command;
extern const struct command stats_command;
extern const struct command watch_command;
extern const struct command save_command;
extern const struct command restore_command;
extern const struct command help_command;

/* Parse the options before the command; return the command's index in @argv. */
int options_take_globals(int argc, char **argv);

/* Parse @argv, which begins with the command's name; return the operand or NULL. */
const char *options_take(const struct command *command, int argc, char **argv);

/* Print the help text of options; --json only if @json is set. */
void options_explain(const struct option_spec *options, bool json);
void options_help(const struct command *command);
void options_version(void);

/**
 * struct near - search for the word that a misspelt word was meant to be
 * @word: the misspelt word
 * @best: the nearest word so far, or NULL if none is near
 * @distance: edit distance of @best
 */
struct near {
	const char *word;
	const char *best;
	size_t distance;
};

void near_begin(struct near *n, const char *word);
void near_offer(struct near *n, const char *candidate);

extern const struct option_spec global_options[];

#endif
