// SPDX-License-Identifier: MIT
/*
 * wheelctl every, at and run: commands by the clock.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "fail.h"
#include "jobs.h"
#include "memory.h"
#include "options.h"
#include "parse.h"
#include "source.h"

static struct jobs jobs;

static const struct option_spec every_options[] = {
	{ "count", "N", "start it N times; until Ctrl-C", parse_count,
	  &jobs.most },
	{ "clock", "CLOCK", "any that runs; monotonic", parse_clock,
	  &globals.setup.clock },
	{ "tick", "TIME", "what times are rounded up to; 1ms", parse_interval,
	  &globals.setup.tick_ns },
	{ NULL }
};

static const struct option_spec at_options[] = {
	{ "count", "N", "at most so many starts; of a crontab's time any number",
	  parse_count, &jobs.most },
	{ NULL }
};

static const struct option_spec run_options[] = {
	{ "count", "N", "at most so many starts of each job", parse_count,
	  &jobs.most },
	{ "tick", "TIME", "what times are rounded up to; 1ms", parse_interval,
	  &globals.setup.tick_ns },
	{ NULL }
};

static int run_every(const char *text)
{
	struct job *job = jobs_add(&jobs, globals.rest, globals.rest[0]);
	const char *wanted = schedule_every(&job->schedule, text);

	if (wanted)
		fail(EXIT_ASKED, "TIME '%s' is not %s", text, wanted);
	if (globals.setup.clock == WHEEL_CLOCK_VIRTUAL)
		fail(EXIT_ASKED, "--clock virtual: nobody would move that clock");
	return jobs_run(&jobs);
}

static int run_at(const char *text)
{
	struct job *job = jobs_add(&jobs, globals.rest, globals.rest[0]);
	const char *wanted = schedule_at(&job->schedule, text, time(NULL));

	if (wanted)
		fail(EXIT_ASKED, "TIME '%s' is not %s", text, wanted);
	return jobs_run(&jobs);
}

/* Cuts off the first words of a line; returns what comes behind them. */
static char *cut(char *line, size_t words)
{
	while (words--) {
		line += strspn(line, " \t");
		line += strcspn(line, " \t");
	}
	if (*line)
		*line++ = '\0';
	return line + strspn(line, " \t");
}

static bool begins_with(const char *line, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(line, word, length) && strchr(" \t", line[length]);
}

/* Reads when; returns NULL or what that should have been. @command: the rest. */
static const char *take_schedule(struct schedule *s, char *line, char **command)
{
	char *time_text;

	if (begins_with(line, "every") || begins_with(line, "at")) {
		time_text = cut(line, 1);
		*command = cut(time_text, 1);
		return *line == 'e' ? schedule_every(s, time_text) :
				      schedule_at(s, time_text, time(NULL));
	}
	if (isalpha((unsigned char)*line))
		return "'every TIME', 'at TIME' or a crontab's";
	*command = cut(line, *line == '@' ? 1 : 5);
	return schedule_calendar(s, line);
}

static void take_line(const char *path, u32 number, char *line)
{
	struct schedule schedule;
	const char *wanted;
	char **argv;
	char *command;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return;
	wanted = take_schedule(&schedule, line, &command);
	if (wanted)
		fail(EXIT_ASKED, "%s:%u: the time is not %s", path, number, wanted);
	if (!*command)
		fail(EXIT_ASKED, "%s:%u: no command behind the time", path, number);
	argv = memory_zeroed(4, sizeof(*argv));
	argv[0] = (char *)"sh";
	argv[1] = (char *)"-c";
	argv[2] = strdup(command);
	if (!argv[2])
		fail(EXIT_DEVICE, "no memory for a command");
	jobs_add(&jobs, argv, argv[2])->schedule = schedule;
}

static int run_file(const char *path)
{
	struct source source;
	char *text = NULL;
	const char *wrong;
	size_t room = 0;
	ssize_t length;
	u32 number = 0;

	source_open(&source, path);
	while ((length = getline(&text, &room, source.text)) > 0) {
		wrong = source_cut(text, (size_t)length);
		number++;
		if (wrong)
			fail(EXIT_ASKED, "%s:%u: %s", path, number, wrong);
		take_line(path, number, text);
	}
	source_close(&source);
	free(text);
	if (!jobs.count)
		fail(EXIT_ASKED, "%s: no job in it", path);
	return jobs_run(&jobs);
}

#define WHILE_IT_RUNS							       \
	"A command that is due while it still runs is not started a second time, which a\n" \
	"line says. The exit status is that of the last command that failed. After\n"       \
	"Ctrl-C no command is started any more, and those that run are waited for."

const struct command every_command = {
	.name = "every",
	.operand = "TIME",
	.rest = "COMMAND [ARGUMENT...]",
	.summary = "run a command again and again",
	.details =
	"Runs COMMAND every TIME, on the grid that begins now: being late once does not\n"
	"make the next one late.\n"
	"\n"
	WHILE_IT_RUNS "\n"
	"\n"
	"  wheelctl every 10s -- ping -c 1 example.org",
	.options = every_options,
	.plain = "",
	.run = run_every,
};

const struct command at_command = {
	.name = "at",
	.operand = "TIME",
	.rest = "COMMAND [ARGUMENT...]",
	.summary = "run a command at a time, or by a crontab's time",
	.details =
	"Runs COMMAND at TIME of the wall clock, wherever that is set meanwhile. TIME is\n"
	"\n"
	"  12:30, 12:30:15         a time of day, today or tomorrow\n"
	"  2030-12-31T23:59        a date with it; a blank may stand for the T\n"
	"  @1900000000             seconds since 1970\n"
	"  +5m                     a delay from now\n"
	"  '*/5 8-18 * * mon-fri'  a crontab's five fields: again and again\n"
	"  @hourly, @daily, @weekly, @monthly, @yearly\n"
	"\n"
	WHILE_IT_RUNS,
	.options = at_options,
	.plain = "",
	.run = run_at,
};

const struct command run_command = {
	.name = "run",
	.operand = "FILE",
	.summary = "run the commands of a file by their times",
	.details =
	"Runs any number of jobs on one wheel. FILE has a line for each, comments begin\n"
	"with '#', and a shell reads the commands:\n"
	"\n"
	"  every 10s           COMMAND\n"
	"  at 12:30            COMMAND\n"
	"  */5 8-18 * * *      COMMAND\n"
	"  @daily              COMMAND\n"
	"\n"
	"Times are those of wheelctl every and wheelctl at, a date joined by a T.\n"
	"\n"
	WHILE_IT_RUNS,
	.options = run_options,
	.plain = "",
	.run = run_file,
};
