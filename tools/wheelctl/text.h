/* SPDX-License-Identifier: MIT */
/*
 * Conversion of text to values, of values to text, and JSON output.
 */
#ifndef TEXT_H
#define TEXT_H

#include "wheelctl.h"

/* Unit of parse_speed() and text_speed(): a thousandth of the recorded speed. */
#define SPEED_UNIT	1000

/* Each function returns NULL on success, or a description of valid input. */
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

/**
 * struct text - short string that is returned by value
 * @s: the string
 */
struct text {
	char s[32];
};

/* Digits in groups of three: "148,731". */
struct text text_count(u64 n);
/* Three digits and a suitable unit: "0 ns", "41.3 us", "12.5 d", "292 y". */
struct text text_time(u64 ns);
/* Milliseconds with all digits: "10.000412 ms". */
struct text text_exact(u64 ns);
/* Inverse of parse_duration(): "1500us", "2h". */
struct text text_duration(u64 ns);
/* Inverse of parse_speed(): "2", "0.5". */
struct text text_speed(u64 speed);
/* Check whether the locale in the environment uses UTF-8. */
bool text_unicode(void);

/* JSON on stdout. A NULL key is for the elements of an array. */
void json_open(const char *key, char bracket);
void json_close(char bracket);
void json_u64(const char *key, u64 value);
void json_u64s(const char *key, const u64 *values, size_t count);
void json_bool(const char *key, bool value);
void json_string(const char *key, const char *value);

#endif
