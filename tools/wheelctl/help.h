/* SPDX-License-Identifier: MIT */
/*
 * The texts of --help.
 */
#ifndef HELP_H
#define HELP_H

#include "wheelctl.h"

void help_version(void);
void help_all(void);
void help_of(const struct command *command);

#endif
