/* SPDX-License-Identifier: MIT */
/*
 * Every command of wheelctl shares this.
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

/* An event that is this late is lost: no machine is loaded that much. */
#define LOST_AFTER_NS	(10 * NSEC_PER_SEC)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Exit statuses, beside 0 and 128 + the number of a signal. */
#define EXIT_DEVICE	1	/* the device, the system */
#define EXIT_ASKED	2	/* what was asked for makes no sense */
#define EXIT_BROKEN	3	/* the device broke a promise */

struct option_spec;

/**
 * struct command - one word that wheelctl understands
 * @name: the word
 * @operand: the name of its one operand, or NULL; in brackets: it may be missing
 * @rest: the name of the words behind "--", which go to globals.rest, or NULL
 * @summary: one line
 * @details: paragraphs for its help
 * @options: end with a NULL name
 * @sets_up: takes the options that say which wheel, too: globals.setup
 * @setup_needs: the option without which these mean nothing, or NULL
 * @plain: NULL; or there is no JSON of it: what to ask for instead, or ""
 * @alone: the option with which no other one means anything, or NULL
 * @run: does it; returns the exit status
 */
struct command {
	const char *name;
	const char *operand;
	const char *rest;
	const char *summary;
	const char *details;
	const struct option_spec *options;
	bool sets_up;
	const char *setup_needs;
	const char *plain;
	const char *alone;
	int (*run)(const char *operand);
};

/**
 * struct globals - the options that several commands take
 * @device: path of the device
 * @json: print one JSON document
 * @help: print the help instead
 * @version: print the version instead
 * @setup: the wheel to set up
 * @rest: the words behind "--", up to a NULL
 */
struct globals {
	const char *device;
	bool json;
	bool help;
	bool version;
	struct wheel_setup setup;
	char **rest;
};

extern struct globals globals;

extern const struct command info_command;
extern const struct command arm_command;
extern const struct command list_command;
extern const struct command stats_command;
extern const struct command watch_command;
extern const struct command save_command;
extern const struct command restore_command;
extern const struct command every_command;
extern const struct command at_command;
extern const struct command run_command;
extern const struct command replay_command;
extern const struct command help_command;
extern const struct command completion_command;

#endif
