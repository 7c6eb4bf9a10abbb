// SPDX-License-Identifier: MIT
/*
 * wheelctl watch: shows the activity of wheels.
 */
#define _GNU_SOURCE
#include "show.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "histogram.h"
#include "text.h"
#include "util.h"

#define HOME		"\033[H"
#define ERASE_REST	"\033[J"
#define ERASE_LINE	"\033[K"
#define ERASE_ALL	"\033[2J"

#define WIDEST_BAR	60

/* Indentation of the rest of a folded line, which aligns it with the figures. */
#define INDENT		11

static struct {
	u64 pid;
	u64 fd;
	u64 interval;
	u64 count;
} requested = {
	.fd = NEVER,
	.interval = NSEC_PER_SEC,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "show only the wheels of this process", parse_count, &requested.pid },
	{ "fd", "FD", "show only this descriptor of the process", parse_number, &requested.fd },
	{ "interval", "TIME", "time between two pictures; default: 1s", parse_interval,
	  &requested.interval },
	{ "count", "N", "exit after N pictures; default: 1 without a terminal",
	  parse_count, &requested.count },
	{ NULL }
};

/* Keep a name and its figure on one line; *@column is the current column. */
static void draw_rate(const struct frame *f, u32 *column, const char *name, u64 count,
		      u64 elapsed)
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

static void draw_rates(const struct frame *f, const struct look *before, const struct look *now,
		       u64 elapsed)
{
	const struct wheel_stats *a = &before->stats;
	const struct wheel_stats *b = &now->stats;
	u32 column = INDENT;

	fputs(elapsed ? "rates      " : "rates      not yet known", f->to);
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
	u64 timers = now->setup.timers;
	u32 width = f->width > 44 ? f->width - 44 : 0;
	u32 full, i;

	if (!now->setup.timers) {
		fprintf(f->to, "pending    %s\n", text_count(now->stats.pending).s);
		return;
	}
	if (width > WIDEST_BAR)
		width = WIDEST_BAR;
	full = (u32)((double)now->stats.pending / (double)timers * width);
	if (!full && now->stats.pending)
		full = 1;
	fprintf(f->to, "pending    %s of %s%s", text_count(now->stats.pending).s,
		text_count(timers).s, width ? "  [" : "");
	for (i = 0; i < width; i++)
		putc(i < full ? '#' : ' ', f->to);
	if (width)
		putc(']', f->to);
	fprintf(f->to, "\nunread     %s\n", text_count(now->stats.unread).s);
}

static void draw_late(const struct frame *f, const struct look *before, const struct look *now)
{
	u64 late[HISTOGRAM_BUCKETS];
	u64 total = 0;
	u32 i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		late[i] = now->stats.late[i] - before->stats.late[i];
		total += late[i];
	}
	if (!total) {
		fputs("late by    no timer expired\n", f->to);
		return;
	}
	fputs("late by                 events\n", f->to);
	histogram_draw(f->to, late, f->width);
}

/* Draw one character per group of buckets; a higher block is a fuller group. */
static void draw_occupancy(FILE *to, const struct occupancy *o)
{
	static const char *const blocks[] = {
		"\u2581", "\u2582", "\u2583", "\u2584",
		"\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char *const letters[] = { ".", ":", "-", "=", "+", "*", "%", "#" };
	const char *const *steps = text_unicode() ? blocks : letters;
	u64 busy = 0;
	u32 i;

	fputs("buckets    [", to);
	for (i = 0; i < o->groups; i++) {
		busy += o->busy[i];
		fputs(o->busy[i] ? steps[(o->busy[i] * 8ULL - 1) / o->of] : " ", to);
	}
	fprintf(to, "] %s of %s hold timers\n", text_count(busy).s,
		text_count((u64)o->groups * o->of).s);
}

static void put_plain(FILE *to, const char *text)
{
	fputs(text, to);
}

void frame_wheel(const struct frame *f, const struct look *before, const struct look *now,
		 u64 elapsed, const struct occupancy *occupancy)
{
	print_title(f->to, now, put_plain);
	fprintf(f->to, ": %s, tick %s, %s\n", scheme_name(now->setup.scheme),
		text_duration(now->setup.tick_ns).s, clock_name(now->setup.clock));
	draw_pending(f, now);
	draw_rates(f, before, now, elapsed);
	if (now->all)
		draw_late(f, before, now);
	if (occupancy->groups)
		draw_occupancy(f->to, occupancy);
}

/*
 * The number of bytes that fit into a line, up to the last blank if there is one. The second
 * and later bytes of a UTF-8 character have no width.
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

/**
 * struct scene - all wheels at one time
 * @looks: state of the wheels
 * @time: time at which it was read
 */
struct scene {
	struct looks looks;
	u64 time;
};

static void scene_take(struct scene *s)
{
	struct timespec time;

	looks_take(&s->looks, requested.pid, requested.fd);
	clock_gettime(CLOCK_MONOTONIC, &time);
	s->time = (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}

/* Find the same wheel in an earlier scene. Counters that decreased belong to another wheel. */
static const struct look *find(const struct scene *s, const struct look *look)
{
	size_t i;

	for (i = 0; i < s->looks.count; i++) {
		const struct look *l = &s->looks.list[i];

		if (l->holder.pid == look->holder.pid && l->holder.fd == look->holder.fd &&
		    l->all == look->all && l->stats.armed <= look->stats.armed &&
		    l->stats.fired <= look->stats.fired)
			return l;
	}
	return NULL;
}

static void draw_wheels(const struct frame *f, const struct scene *before, const struct scene *s)
{
	const struct look nothing = { 0 };
	struct occupancy occupancy;
	size_t i;

	for (i = 0; i < s->looks.count; i++) {
		const struct look *look = &s->looks.list[i];
		const struct look *last = find(before, look);

		if (i)
			putc('\n', f->to);
		occupancy = occupancy_of(&s->looks, look);
		frame_wheel(f, last ? last : &nothing, look, last ? s->time - before->time : 0,
			    &occupancy);
	}
	if (!s->looks.count)
		fputs("no wheels\n", f->to);
	print_hidden(f->to, "\n", s->looks.hidden, "\n");
}

static u32 number_in(const char *name, u32 otherwise)
{
	const char *text = getenv(name);
	long number = text ? strtol(text, NULL, 10) : 0;

	return number > 0 && number < 10000 ? (u32)number : otherwise;
}

/* Without a terminal, the environment specifies the width, and the height is unlimited. */
static struct frame frame_of(bool terminal)
{
	struct frame f = { .to = stdout, .width = number_in("COLUMNS", 80), .lines = ~0U };
	struct winsize size;

	if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return f;
	f.width = size.ws_col;
	f.lines = size.ws_row > 1 ? size.ws_row - 1U : 1;
	return f;
}

static void draw(const struct scene *before, const struct scene *s, bool terminal)
{
	struct frame f = frame_of(terminal);
	struct frame whole = f;
	size_t length;
	char *text;

	whole.to = open_memstream(&text, &length);
	if (!whole.to)
		fail(EXIT_DEVICE, "no memory for a picture");
	draw_wheels(&whole, before, s);
	fclose(whole.to);
	fputs(terminal ? HOME : "", stdout);
	/* Erase before each line: after a line of full width, this erases the last column. */
	if (!frame_put(&f, text, terminal ? ERASE_LINE : ""))
		fail(EXIT_DEVICE, "no memory for a picture");
	fputs(terminal ? ERASE_REST : "", stdout);
	flush_or_fail();
	free(text);
}

static void resized(int signal)
{
	(void)signal;
}

/* Returns the signal mask with which a change of the terminal's size interrupts a wait. */
static sigset_t watch_size(void)
{
	struct sigaction action = { .sa_handler = resized };
	sigset_t resizing, waiting;

	sigemptyset(&resizing);
	sigaddset(&resizing, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resizing, &waiting);
	sigaction(SIGWINCH, &action, NULL);
	return waiting;
}

/* Wait for the next picture; redraw when the size changes. Returns false after a signal. */
static bool pause_after(const struct scene *before, const struct scene *s, bool terminal,
			int interrupt, const sigset_t *waiting)
{
	struct pollfd fd = { .fd = interrupt, .events = POLLIN };
	struct timespec time = {
		.tv_sec = (time_t)(requested.interval / NSEC_PER_SEC),
		.tv_nsec = (long)(requested.interval % NSEC_PER_SEC),
	};

	while (ppoll(&fd, 1, &time, waiting) < 0 && errno == EINTR)
		if (terminal)
			draw(before, s, true);
	return !interrupt_seen(interrupt);
}

/* Check whether stdout is a terminal that supports escape sequences. */
static bool is_terminal(void)
{
	const char *name = getenv("TERM");

	return isatty(STDOUT_FILENO) && name && *name && strcmp(name, "dumb");
}

static int run(const char *none)
{
	bool terminal = is_terminal();
	int interrupt = interrupt_open();
	sigset_t waiting = watch_size();
	struct scene before = { 0 };
	struct scene scene;
	u64 drawn = 0;

	(void)none;
	if (requested.fd != NEVER && !requested.pid)
		fail(EXIT_USAGE, "watch: --fd requires --pid");
	if (!requested.count && !terminal)
		requested.count = 1;
	scene_take(&scene);
	if (terminal) {
		fputs(ERASE_ALL, stdout);
		draw(&before, &scene, true);
	}
	while (pause_after(&before, &scene, terminal, interrupt, &waiting)) {
		looks_free(&before.looks);
		before = scene;
		scene_take(&scene);
		if (drawn && !terminal)
			putchar('\n');
		draw(&before, &scene, terminal);
		if (++drawn == requested.count)
			break;
	}
	looks_free(&before.looks);
	looks_free(&scene.looks);
	return 0;
}

const struct command watch_command = {
	.name = "watch",
	.summary = "show the activity of wheels continuously",
	.details =
	"Draws the wheels of this machine, or of one process with --pid: pending timers,\n"
	"rates, the lateness in the last interval and, for root, the occupied buckets.\n"
	"Ctrl-C exits. Without a terminal, it prints one picture, or --count of them.",
	.options = options,
	.no_json = "; use wheelctl stats --json",
	.run = run,
};
