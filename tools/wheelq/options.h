/* SPDX-License-Identifier: MIT */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "server.h"

/* Read the command line. Exit if it is invalid. */
void options_read(struct server_options *options, int argc, char **argv);

#endif
