/* SPDX-License-Identifier: MIT */
/*
 * One picture of wheels, cut to the size of a terminal.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdio.h>

#include "occupancy.h"

/**
 * struct frame - what is drawn
 * @to: where
 * @width: letters in a line
 * @lines: lines that fit
 */
struct frame {
	FILE *to;
	u32 width;
	u32 lines;
};

void frame_wheel(const struct frame *f, const struct look *before,
		 const struct look *now, u64 elapsed,
		 const struct occupancy *occupancy);
void frame_put(const struct frame *f, const char *text, const char *line_end);

#endif
