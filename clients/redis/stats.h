/* SPDX-License-Identifier: MIT */
/* The server's own statistics of commands. */
#ifndef STATS_H
#define STATS_H

#include <stdint.h>

/*
 * So many calls of these commands have succeeded; NULL is behind the last. To learn it takes
 * as long as to be told of some fifty clients.
 */
uint64_t stats_succeeded(const char *const *commands);

#endif
