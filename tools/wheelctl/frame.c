// SPDX-License-Identifier: MIT
/*
 * One picture of wheels, folded to the width of a terminal and cut to its height.
 */
#define _GNU_SOURCE
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "parse.h"
#include "text.h"

#define WIDEST_BAR	60

/* How far the rest of a folded line is moved to the right: below the figures. */
#define INDENT		11

/* A name and its figure stay together; the line is at @column. */
static void draw_rate(const struct frame *f, u32 *column, const char *name,
		      u64 count, u64 elapsed)
{
	u64 rate = (u64)((double)count * NSEC_PER_SEC / (double)elapsed + .5);
	const char *between = *column > INDENT ? "   " : "";
	char text[64];

	snprintf(text, sizeof(text), "%s/s %s", name, text_count(rate).s);
	if (*column + strlen(between) + strlen(text) > f->width && *between) {
		fprintf(f->to, "\n%*s", INDENT, "");
		*column = INDENT;
		between = "";
	}
	*column += (u32)fprintf(f->to, "%s%s", between, text);
}

/* How many a second; of a wheel that we have not seen before nobody knows. */
static void draw_rates(const struct frame *f, const struct look *before,
		       const struct look *now, u64 elapsed)
{
	const struct wheel_stats *a = &before->stats;
	const struct wheel_stats *b = &now->stats;
	u32 column = INDENT;

	fputs(elapsed ? "rates      " : "rates      not known yet", f->to);
	if (elapsed) {
		draw_rate(f, &column, "armed", b->armed - a->armed, elapsed);
		draw_rate(f, &column, "fired", b->fired - a->fired, elapsed);
		draw_rate(f, &column, "cancelled", b->cancelled - a->cancelled, elapsed);
		if (now->all)
			draw_rate(f, &column, "wake-ups", b->wakeups - a->wakeups, elapsed);
	}
	putc('\n', f->to);
}

static void draw_pending(const struct frame *f, const struct look *now)
{
	u64 timers = now->setup.timers ? now->setup.timers : 1;
	u32 room = f->width > 44 ? f->width - 44 : 0;
	u32 full, i;

	if (room > WIDEST_BAR)
		room = WIDEST_BAR;
	full = (u32)((double)now->stats.pending / (double)timers * room);
	if (!full && now->stats.pending)
		full = 1;
	fprintf(f->to, "pending    %s of %s%s", text_count(now->stats.pending).s,
		text_count(timers).s, room ? "  [" : "");
	for (i = 0; i < room; i++)
		putc(i < full ? '#' : ' ', f->to);
	if (room)
		putc(']', f->to);
	fprintf(f->to, "\nunread     %s\n", text_count(now->stats.unread).s);
}

static void draw_late(const struct frame *f, const struct look *before,
		      const struct look *now)
{
	u64 late[HISTOGRAM_BUCKETS];
	u64 total = 0;
	u32 i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		late[i] = now->stats.late[i] - before->stats.late[i];
		total += late[i];
	}
	if (!total) {
		fputs("late by    nothing fired\n", f->to);
		return;
	}
	fputs("late by                 events\n", f->to);
	histogram_draw(f->to, late, f->width);
}

/**
 * frame_wheel - draw one wheel
 * @f: frame
 * @before: the look before, all zeros: there was none
 * @now: the look at it
 * @elapsed: nanoseconds between them, 0: there was none before
 * @occupancy: of its buckets
 */
void frame_wheel(const struct frame *f, const struct look *before,
		 const struct look *now, u64 elapsed,
		 const struct occupancy *occupancy)
{
	fprintf(f->to, "process %d (%s), descriptor %d: %s, tick %s, %s\n",
		now->holder.pid, now->holder.command, now->holder.fd,
		scheme_name(now->setup.scheme),
		text_duration(now->setup.tick_ns).s,
		clock_name(now->setup.clock));
	draw_pending(f, now);
	draw_rates(f, before, now, elapsed);
	if (now->all)
		draw_late(f, before, now);
	if (occupancy->groups)
		occupancy_draw(f->to, occupancy);
}

/*
 * How many bytes of a line a row holds: as much as ends before a blank, if there is one.
 * UTF-8's later bytes have no width.
 */
static size_t fitting(const char *line, u32 width)
{
	size_t blank = 0;
	u32 column = 0;
	size_t i;

	for (i = 0; line[i] && line[i] != '\n'; i++) {
		if (line[i] == ' ')
			blank = i;
		column += ((unsigned char)line[i] & 0xc0) != 0x80;
		if (column > width)
			return blank ? blank : i;
	}
	return i;
}

/* Writes @text with the line ends that it needs to be @width wide. */
static void fold(FILE *to, const char *text, u32 width)
{
	int indent = 0;

	while (*text) {
		size_t length = fitting(text, width - (u32)indent);

		fprintf(to, "%*s%.*s\n", indent, "", (int)length, text);
		text += length;
		if (*text != '\n') {
			text += strspn(text, " ");
			indent = width > 2 * INDENT ? INDENT : 0;
		}
		if (*text == '\n') {
			text++;
			indent = 0;
		}
	}
}

static u32 count_lines(const char *text)
{
	u32 lines = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		lines++;
	}
	return lines;
}

/**
 * frame_put - put a text there, as much of it as fits; the last line tells of the rest
 * @f: frame
 * @text: lines
 * @line_start: before each
 *
 * Return: false if there is no memory.
 */
bool frame_put(const struct frame *f, const char *text, const char *line_start)
{
	u32 lines, shown, i;
	const char *line;
	char *folded;
	size_t length;
	FILE *to;

	to = open_memstream(&folded, &length);
	if (!to)
		return false;
	fold(to, text, f->width);
	if (fclose(to))
		return false;
	lines = count_lines(folded);
	shown = lines > f->lines ? f->lines - 1 : lines;
	for (i = 0, line = folded; i < shown; i++, line += length + 1) {
		length = strcspn(line, "\n");
		fprintf(f->to, "%s%.*s\n", line_start, (int)length, line);
	}
	if (shown < lines)
		fprintf(f->to, "%s%.*s\n", line_start, (int)f->width,
			"(more lines: make the terminal taller)");
	free(folded);
	return true;
}
