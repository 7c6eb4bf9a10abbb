/* SPDX-License-Identifier: MIT */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "server.h"

/* Of the command line; what makes no sense ends the program. */
void options_read(struct server_options *options, int argc, char **argv);

#endif
