/* SPDX-License-Identifier: MIT */
/*
 * Wheels as one page of HTML.
 */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

#include "occupancy.h"

/**
 * struct html_head - what a page says above its wheels
 * @machine: its name
 * @kernel: its release
 * @time: when the wheels were looked at
 * @hidden: processes that we may not look into
 */
struct html_head {
	const char *machine;
	const char *kernel;
	const char *time;
	u64 hidden;
};

void html_begin(FILE *to, const struct html_head *head);
void html_wheel(FILE *to, const struct look *look, const struct occupancy *o);
void html_end(FILE *to, size_t wheels);

#endif
