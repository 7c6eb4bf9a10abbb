/* SPDX-License-Identifier: MIT */
/*
 * One response, made of the responses of all shards to the same command.
 */
#ifndef MERGE_H
#define MERGE_H

#include "buffer.h"

/* @texts: the bodies of all responses in YAML, one after the other, which a NUL byte ends. */

/* Add the numbers up. Other values are those of the first response. */
void merge_stats(struct buffer *to, const char *texts);
/* The tube "default" of all shards is listed once. */
void merge_tubes(struct buffer *to, const char *texts);

#endif
