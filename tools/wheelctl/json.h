/* SPDX-License-Identifier: MIT */
/*
 * Writes one JSON document on stdout. A NULL key is for members of an array.
 */
#ifndef JSON_H
#define JSON_H

#include "wheelctl.h"

void json_open(const char *key, char bracket);
void json_close(char bracket);
void json_u64(const char *key, u64 value);
void json_u64s(const char *key, const u64 *values, size_t count);
void json_bool(const char *key, bool value);
void json_string(const char *key, const char *value);

#endif
