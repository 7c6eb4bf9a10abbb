/* SPDX-License-Identifier: MIT */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "client.h"

/* The commands of the protocol. */
extern const struct client_ops command_ops;

#endif
