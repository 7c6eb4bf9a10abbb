/* SPDX-License-Identifier: MIT */
/*
 * A server's wheel, of which the tests draw pictures and pages.
 */
#ifndef SERVER_H
#define SERVER_H

#include "look.h"
#include "occupancy.h"

extern const struct look server;
extern const struct occupancy server_buckets;

#endif
