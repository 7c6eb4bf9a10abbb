/* SPDX-License-Identifier: MIT */
/*
 * From values to text for people.
 */
#ifndef TEXT_H
#define TEXT_H

#include "wheelctl.h"

/**
 * struct text - a short string, returned by value
 * @s: the string
 */
struct text {
	char s[32];
};

struct text text_count(u64 n);
struct text text_time(u64 ns);
struct text text_exact(u64 ns);
struct text text_duration(u64 ns);
struct text text_speed(u64 speed);
bool text_unicode(void);

#endif
