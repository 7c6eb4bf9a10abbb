/* SPDX-License-Identifier: MIT */
/*
 * From text to values. Each function returns NULL, or what the text should have
 * been.
 */
#ifndef PARSE_H
#define PARSE_H

#include "wheelctl.h"

/* parse_speed() counts in these parts of the recorded speed. */
#define SPEED_UNIT	1000

const char *parse_flag(const char *text, void *value);
const char *parse_string(const char *text, void *value);
const char *parse_count(const char *text, void *value);
const char *parse_number(const char *text, void *value);
const char *parse_duration(const char *text, void *value);
const char *parse_interval(const char *text, void *value);
const char *parse_buckets(const char *text, void *value);
const char *parse_speed(const char *text, void *value);
const char *parse_clock(const char *text, void *value);
const char *parse_scheme(const char *text, void *value);

const char *clock_name(u32 clock);
const char *scheme_name(u32 scheme);
const char *duration_unit(u64 ns, u64 *count);

#endif
