/* SPDX-License-Identifier: MIT */
/*
 * One picture of wheels, folded to the width of a terminal and cut to its height.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdio.h>

#include "occupancy.h"

/**
 * struct frame - what is drawn
 * @to: where
 * @width: letters in a line
 * @lines: lines that fit, at least one
 */
struct frame {
	FILE *to;
	u32 width;
	u32 lines;
};

void frame_wheel(const struct frame *f, const struct look *before,
		 const struct look *now, u64 elapsed,
		 const struct occupancy *occupancy);
bool frame_put(const struct frame *f, const char *text, const char *line_start);

#endif
