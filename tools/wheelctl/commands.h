/* SPDX-License-Identifier: MIT */
/*
 * All commands: what help, completion and near misses know.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "wheelctl.h"

/* Ends with NULL. */
extern const struct command *const commands[];

const struct command *command_named(const char *name);

#endif
