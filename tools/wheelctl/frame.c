// SPDX-License-Identifier: MIT
/*
 * One picture of wheels, cut to the size of a terminal.
 */
#include "frame.h"

#include <string.h>

#include "histogram.h"
#include "parse.h"
#include "text.h"

#define WIDEST_BAR	60

/* How many a second; of a wheel that we have not seen before nobody knows. */
static void draw_rate(FILE *to, const char *name, u64 before, u64 now, u64 elapsed)
{
	double seconds = (double)elapsed / NSEC_PER_SEC;

	if (elapsed)
		fprintf(to, "   %s/s %s", name,
			text_count((u64)((double)(now - before) / seconds + .5)).s);
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
	const struct wheel_stats *a = &before->stats;
	const struct wheel_stats *b = &now->stats;

	fprintf(f->to, "process %d (%s), descriptor %d: %s, tick %s, %s\n",
		now->holder.pid, now->holder.command, now->holder.fd,
		scheme_name(now->setup.scheme),
		text_duration(now->setup.tick_ns).s,
		clock_name(now->setup.clock));
	draw_pending(f, now);
	fputs(elapsed ? "rates   " : "rates      not known yet", f->to);
	draw_rate(f->to, "armed", a->armed, b->armed, elapsed);
	draw_rate(f->to, "fired", a->fired, b->fired, elapsed);
	draw_rate(f->to, "cancelled", a->cancelled, b->cancelled, elapsed);
	if (now->all)
		draw_rate(f->to, "wake-ups", a->wakeups, b->wakeups, elapsed);
	putc('\n', f->to);
	if (now->all)
		draw_late(f, before, now);
	if (occupancy->groups)
		occupancy_draw(f->to, occupancy);
}

/* Writes as much of a line as is @width wide; UTF-8's later bytes have no width. */
static size_t put_line(const struct frame *f, const char *line)
{
	size_t length = strcspn(line, "\n");
	u32 column = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		column += ((unsigned char)line[i] & 0xc0) != 0x80;
		if (column > f->width)
			break;
		putc(line[i], f->to);
	}
	return length + (line[length] == '\n');
}

/**
 * frame_put - put a text there, as much of it as fits
 * @f: frame
 * @text: lines
 * @line_end: behind each
 */
void frame_put(const struct frame *f, const char *text, const char *line_end)
{
	u32 line;

	for (line = 0; *text && line < f->lines; line++) {
		text += put_line(f, text);
		fputs(line_end, f->to);
	}
}
