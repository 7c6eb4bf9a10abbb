// SPDX-License-Identifier: MIT
/*
 * wheelctl watch: wheels while they turn.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "debugfs.h"
#include "fail.h"
#include "frame.h"
#include "interrupt.h"
#include "look.h"
#include "memory.h"
#include "options.h"
#include "parse.h"
#include "text.h"

#define HOME		"\033[H"
#define ERASE_REST	"\033[J"
#define ERASE_LINE	"\033[K"
#define ERASE_ALL	"\033[2J"

static struct {
	u64 pid;
	u64 fd;
	u64 interval;
	u64 count;
} asked = {
	.fd = NEVER,
	.interval = NSEC_PER_SEC,
};

static const struct option_spec options[] = {
	{ "pid", "PID", "the wheels that this process holds; all wheels",
	  parse_count, &asked.pid },
	{ "fd", "FD", "only this descriptor of the process", parse_number,
	  &asked.fd },
	{ "interval", "TIME", "from one picture to the next; 1s", parse_interval,
	  &asked.interval },
	{ "count", "N", "so many pictures; until Ctrl-C, and 1 without a terminal",
	  parse_count, &asked.count },
	{ NULL }
};

/**
 * struct scene - all wheels at one time
 * @look: at each
 * @count: how many
 * @hidden: processes that we may not look into
 * @time: when
 */
struct scene {
	struct look *look;
	size_t count;
	u64 hidden;
	u64 time;
};

static u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}

static void scene_take(struct scene *s)
{
	struct holders holders;
	size_t i;

	holders_find(&holders, asked.pid, asked.fd);
	memset(s, 0, sizeof(*s));
	s->look = memory_zeroed(holders.count, sizeof(*s->look));
	s->hidden = holders.hidden;
	s->time = now();
	for (i = 0; i < holders.count; i++)
		s->count += look_at(&s->look[s->count], &holders.list[i]);
	holders_free(&holders);
}

/* The same wheel in an earlier scene; a wheel that counts less now is another. */
static const struct look *find(const struct scene *s, const struct look *look)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->look[i].holder.pid == look->holder.pid &&
		    s->look[i].holder.fd == look->holder.fd &&
		    s->look[i].all == look->all &&
		    s->look[i].stats.armed <= look->stats.armed &&
		    s->look[i].stats.fired <= look->stats.fired)
			return &s->look[i];
	return NULL;
}

static void draw_wheels(const struct frame *f, const struct scene *before,
			const struct scene *s)
{
	const struct look nothing = { 0 };
	struct occupied_list occupied;
	struct occupancy occupancy;
	size_t i;

	debugfs_read(&occupied, s->look, s->count);
	for (i = 0; i < s->count; i++) {
		const struct look *last = find(before, &s->look[i]);

		if (i)
			putc('\n', f->to);
		debugfs_occupancy(&occupancy, &occupied, &s->look[i]);
		frame_wheel(f, last ? last : &nothing, &s->look[i],
			    last ? s->time - before->time : 0, &occupancy);
	}
	occupied_free(&occupied);
	if (!s->count)
		fputs("no wheels\n", f->to);
	if (s->hidden)
		fprintf(f->to,
			"\n%s process%s of others may hold wheels, too: run as root to see\n",
			text_count(s->hidden).s, s->hidden == 1 ? "" : "es");
}

static u32 number_in(const char *name, u32 otherwise)
{
	const char *text = getenv(name);
	long number = text ? strtol(text, NULL, 10) : 0;

	return number > 0 && number < 10000 ? (u32)number : otherwise;
}

/* On a terminal its size; elsewhere as wide as the environment says, and as long. */
static struct frame frame_of(bool terminal)
{
	struct frame f = { .to = stdout, .width = number_in("COLUMNS", 80) };
	struct winsize size;

	f.lines = ~0U;
	if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ||
	    !size.ws_col || !size.ws_row)
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
	/* A line as long as the terminal is wide would lose its end if it were erased behind. */
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

/* From here on a terminal that gets another size interrupts who waits with this mask. */
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

/* Waits for the next picture, and redraws this one in each new size; whether to go on. */
static bool pause_after(const struct scene *before, const struct scene *s, bool terminal,
			int interrupt, const sigset_t *waiting)
{
	struct pollfd fd = { .fd = interrupt, .events = POLLIN };
	struct timespec time = {
		.tv_sec = (time_t)(asked.interval / NSEC_PER_SEC),
		.tv_nsec = (long)(asked.interval % NSEC_PER_SEC),
	};

	while (ppoll(&fd, 1, &time, waiting) < 0 && errno == EINTR)
		if (terminal)
			draw(before, s, true);
	return !interrupt_seen(interrupt);
}

/* Is stdout a terminal that can be drawn on? */
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
	if (asked.fd != NEVER && !asked.pid)
		fail(EXIT_ASKED, "watch: --fd means nothing without --pid");
	if (!asked.count && !terminal)
		asked.count = 1;
	scene_take(&scene);
	if (terminal) {
		fputs(ERASE_ALL, stdout);
		draw(&before, &scene, true);
	}
	while (pause_after(&before, &scene, terminal, interrupt, &waiting)) {
		free(before.look);
		before = scene;
		scene_take(&scene);
		if (drawn && !terminal)
			putchar('\n');
		draw(&before, &scene, terminal);
		if (++drawn == asked.count)
			break;
	}
	free(before.look);
	free(scene.look);
	return 0;
}

const struct command watch_command = {
	.name = "watch",
	.summary = "wheels while they turn",
	.details =
	"Draws what the wheels of this machine, or with --pid of one process, hold and\n"
	"do: timers pending, rates, how late those of the last interval fired and, for\n"
	"root, which part of the buckets holds timers. Ctrl-C ends it. Without a\n"
	"terminal it prints one picture, or --count of them.",
	.options = options,
	.plain = "; for programs: wheelctl stats --json",
	.run = run,
};
