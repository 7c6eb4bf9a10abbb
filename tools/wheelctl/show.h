/* SPDX-License-Identifier: MIT */
/*
 * Output of wheelctl stats and wheelctl watch.
 */
#ifndef SHOW_H
#define SHOW_H

#include "look.h"

/**
 * struct counter - a member of struct wheel_stats
 * @name: name of the member
 * @offset: offset of the member
 * @is_gauge: true if the value can decrease
 * @in_fdinfo: true if fdinfo contains it
 * @meaning: short description
 */
struct counter {
	const char *name;
	size_t offset;
	bool is_gauge;
	bool in_fdinfo;
	const char *meaning;
};

/* All counters, up to one without a name. */
extern const struct counter counters[];

static inline u64 counter_value(const struct counter *counter, const struct look *look)
{
	return *(const u64 *)((const char *)&look->stats + counter->offset);
}

static inline bool counter_is_known(const struct counter *counter, const struct look *look)
{
	return look->all || counter->in_fdinfo;
}

/* Print totals of the wheels of each program, or each wheel. */
void prometheus_print(const struct looks *looks, bool details);

/**
 * struct page_head - head of an HTML page
 * @machine: host name
 * @kernel: release of the kernel
 * @time: time of the measurement
 * @hidden: number of processes that this user may not inspect
 */
struct page_head {
	const char *machine;
	const char *kernel;
	const char *time;
	u64 hidden;
};

void html_begin(FILE *to, const struct page_head *head);
/* @o without groups leaves the occupancy out. */
void html_wheel(FILE *to, const struct look *look, const struct occupancy *o);
void html_end(FILE *to, size_t wheels);
void html_print(const struct looks *looks);

/**
 * struct frame - output of a picture
 * @to: output file
 * @width: number of columns
 * @lines: number of lines, at least 1
 */
struct frame {
	FILE *to;
	u32 width;
	u32 lines;
};

/* Draw a wheel. @elapsed is the time since @before, or 0 if there is no earlier state. */
void frame_wheel(const struct frame *f, const struct look *before, const struct look *now,
		 u64 elapsed, const struct occupancy *occupancy);
/* Print a text, folded to the width and cut to the height; returns false without memory. */
bool frame_put(const struct frame *f, const char *text, const char *line_start);

#endif
