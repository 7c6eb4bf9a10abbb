/* SPDX-License-Identifier: MIT */
/*
 * What --help says.
 */
#ifndef HELP_H
#define HELP_H

#include "wheelctl.h"

void help_globals(void);
void help_command(const struct command *command);

#endif
