// SPDX-License-Identifier: MIT
/*
 * cron [-n STARTS] [-p SECONDS] FILE: runs the commands in FILE at their times.
 *
 *	cc -O2 cron.c $(pkg-config --cflags --libs libwheel) -o cron
 *
 * A line of FILE contains a time and a command for sh(1):
 *
 *	every 10s		COMMAND
 *	30 8-18/2 * * 1-5	COMMAND
 *
 * -n limits the number of starts of each command. -p prints the first time of each command after
 * SECONDS since 1970, and starts none.
 *
 * A job has a slot on one of two wheels: on the monotonic clock for a period, on the realtime
 * clock for the five fields of crontab(5). If that clock is set forward, its timers fire as they
 * should. If it is set back, timers must be moved to earlier times.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libwheel.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND	1000000000ULL
/* A calendar without a date in the next nine years has none at all. */
#define HORIZON	(9 * 366 * 86400L)

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELDS };

/**
 * struct job - a command and its times
 * @command: the command
 * @period: nanoseconds, or 0 if the job has a calendar
 * @field: for each field of the calendar, a bit for each allowed value
 * @id: timer
 * @pid: process of the running command, or 0
 * @starts: number of starts
 * @ended: true if the command will not be started again
 */
struct job {
	const char *command;
	__u64 period;
	__u64 field[FIELDS];
	uint64_t id;
	pid_t pid;
	long starts;
	bool ended;
};

static struct job *jobs;
static __u32 count;
static long most_starts;
static struct libwheel *periods, *calendars;
/* Exit status of the last command that failed. */
static int status;

static void die(const char *what, int err)
{
	fprintf(stderr, "cron: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

static bool take_period(struct job *job, const char *text)
{
	static const char units[] = "smhd";
	static const __u64 seconds[] = { 1, 60, 3600, 86400 };
	unsigned long number;
	int end = 0;
	char unit;

	/* Five digits of days are before the end of the clock. */
	if (sscanf(text, "%5lu%c%n", &number, &unit, &end) != 2 || text[end] || !number ||
	    !strchr(units, unit))
		return false;
	job->period = number * seconds[strchr(units, unit) - units] * SECOND;
	return true;
}

/* Returns -1 if there is no number. */
static long take_number(const char **text)
{
	return isdigit((unsigned char)**text) ? strtol(*text, (char **)text, 10) : -1;
}

/* Read "*", "5", "1-5", or one of these with a step: "1-5/2". */
static bool take_range(const char **text, long least, long most, __u64 *bits)
{
	long first = least, last = most, step = 1;

	if (**text == '*') {
		++*text;
	} else {
		first = take_number(text);
		last = **text == '/' ? most : first;
		if (**text == '-') {
			++*text;
			last = take_number(text);
		}
	}
	if (**text == '/') {
		++*text;
		step = take_number(text);
	}
	if (first < least || last > most || first > last || step < 1)
		return false;
	for (; first <= last; first += step)
		*bits |= 1ULL << first;
	return true;
}

/* If both fields for days are restricted, only one of them must match. */
static bool is_day(const struct job *job, const struct tm *t)
{
	bool either = job->field[DAY] != 0xfffffffe && job->field[WEEKDAY] != 0x7f;
	bool day = job->field[DAY] >> t->tm_mday & 1;
	bool weekday = job->field[WEEKDAY] >> t->tm_wday & 1;

	return job->field[MONTH] >> (t->tm_mon + 1) & 1 &&
	       (either ? day || weekday : day && weekday);
}

/* The first time of a calendar after a time, in seconds since 1970, or 0. */
static time_t next_time(const struct job *job, time_t after)
{
	time_t at = after - after % 60 + 60;

	while (at < after + HORIZON) {
		struct tm t;
		bool hour;

		localtime_r(&at, &t);
		hour = is_day(job, &t) && job->field[HOUR] >> t.tm_hour & 1;
		if (hour && job->field[MINUTE] >> t.tm_min & 1)
			return at;
		/* In all time zones, hours begin at a multiple of 15 minutes. */
		at += hour ? 60 : 900 - at % 900;
	}
	return 0;
}

/* Returns NULL or the name of the invalid field. */
static const char *take_calendar(struct job *job, char field[FIELDS][64], time_t now)
{
	static const char *const names[] = { "minute", "hour", "day", "month", "weekday" };
	static const int least[] = { 0, 0, 1, 1, 0 }, most[] = { 59, 23, 31, 12, 7 };
	int i;

	for (i = 0; i < FIELDS; i++) {
		const char *text = field[i];

		do {
			text += text > field[i];
			if (!take_range(&text, least[i], most[i], &job->field[i]))
				return names[i];
		} while (*text == ',');
		if (*text)
			return names[i];
	}
	/* Sunday is 0 or 7. */
	job->field[WEEKDAY] = (job->field[WEEKDAY] | job->field[WEEKDAY] >> 7) & 0x7f;
	return next_time(job, now) ? NULL : "date";
}

/* Read the time and the command; returns NULL or the name of the invalid part. */
static const char *take_line(struct job *job, const char *line, time_t now)
{
	static const char fields[] = "%63s %63s %63s %63s %63s %n";
	char f[FIELDS][64];
	int end = 0;

	if (sscanf(line, "every %63s %n", f[0], &end) == 1) {
		job->command = line + end;
		return take_period(job, f[0]) ? NULL : "period";
	}
	if (sscanf(line, fields, f[0], f[1], f[2], f[3], f[4], &end) != FIELDS)
		return "time";
	job->command = line + end;
	return take_calendar(job, f, now);
}

static void read_jobs(const char *path, time_t now)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char line[4096];
	int number;

	if (!file)
		die(path, errno);
	for (number = 1; fgets(line, sizeof(line), file); number++) {
		size_t length = strcspn(line, "\n");
		const char *start = line + strspn(line, " \t"), *wrong;

		if (!line[length] && length == sizeof(line) - 1)
			die(path, E2BIG);
		line[length] = '\0';
		if (!*start || *start == '#')
			continue;
		jobs = realloc(jobs, (count + 1) * sizeof(*jobs));
		start = strdup(start);
		if (!jobs || !start)
			die(path, ENOMEM);
		memset(&jobs[count], 0, sizeof(*jobs));
		wrong = take_line(&jobs[count], start, now);
		if (!wrong && !*jobs[count].command)
			wrong = "command";
		if (wrong) {
			fprintf(stderr, "cron: %s:%d: invalid %s\n", path, number, wrong);
			exit(2);
		}
		count++;
	}
	if (ferror(file))
		die(path, errno);
}

/* The next deadline, on the clock of the job's wheel. */
static __u64 next_of(const struct job *job)
{
	if (job->period)
		return libwheel_now(periods) + job->period;
	return (__u64)next_time(job, (time_t)(libwheel_now(calendars) / SECOND)) * SECOND;
}

static void arm(struct job *job)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM,
		.id = WHEEL_ID(job - jobs, WHEEL_ID_GEN(job->id) + 1),
		.when = next_of(job),
		.period = job->period,
	};
	int err = libwheel_do(job->period ? periods : calendars, &op);

	if (err)
		die("arm", err);
	job->id = op.id;
}

static void move(struct job *job)
{
	uint64_t old;
	int err = libwheel_query(calendars, job->id, &old);

	if (!err && next_of(job) < old)
		err = libwheel_rearm(calendars, job->id, next_of(job));
	/* A timer that has just fired is armed when its event is read. */
	if (err && err != -ENOENT)
		die("move", err);
}

/* The clock was set. */
static void move_calendars(int clock_fd)
{
	uint64_t expiries;
	struct job *job;

	if (read(clock_fd, &expiries, sizeof(expiries)) >= 0 || errno != ECANCELED)
		return;
	for (job = jobs; job < jobs + count; job++)
		if (!job->period)
			move(job);
}

static void start(struct job *job)
{
	sigset_t none;

	if (job->pid) {
		fprintf(stderr, "cron: %s: still running, skipped\n", job->command);
		return;
	}
	job->starts++;
	job->pid = fork();
	if (job->pid < 0)
		die("fork", errno);
	if (job->pid)
		return;
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execlp("sh", "sh", "-c", job->command, (char *)NULL);
	_exit(127);
}

static void take_events(struct libwheel *wheel)
{
	struct wheel_event event;

	while (libwheel_expirations(wheel, &event, 1) == 1) {
		struct job *job = &jobs[WHEEL_ID_SLOT(event.id)];

		start(job);
		job->ended = job->starts == most_starts;
		if (job->ended)
			libwheel_cancel(wheel, job->id);
		else if (!job->period)
			arm(job);
	}
}

static void reap(void)
{
	struct job *job;
	pid_t pid;
	int end;

	while ((pid = waitpid(-1, &end, WNOHANG)) > 0) {
		for (job = jobs; job->pid != pid;)
			job++;
		job->pid = 0;
		if (!end)
			continue;
		status = WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
		fprintf(stderr, "cron: %s: exit status %d\n", job->command, status);
	}
}

/* Check whether a command is running or will be started. */
static bool is_active(void)
{
	const struct job *job;

	for (job = jobs; job < jobs + count; job++)
		if (job->pid || !job->ended)
			return true;
	return false;
}

static void run(void)
{
	const struct itimerspec never = { .it_value.tv_sec = WHEEL_MAX_TIME / SECOND };
	struct pollfd fds[4] = { { .fd = libwheel_fd(periods) }, { .fd = libwheel_fd(calendars) } };
	struct signalfd_siginfo info;
	sigset_t children;
	__u32 i;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	fds[2].fd = signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
	fds[3].fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	if (fds[2].fd < 0 || timerfd_settime(fds[3].fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
					     &never, NULL))
		die("signalfd or timerfd", errno);
	for (i = 0; i < count; i++)
		arm(&jobs[i]);
	for (i = 0; i < 4; i++)
		fds[i].events = POLLIN;
	while (is_active()) {
		poll(fds, 4, -1);
		move_calendars(fds[3].fd);
		take_events(periods);
		take_events(calendars);
		while (read(fds[2].fd, &info, sizeof(info)) > 0)
			;
		reap();
	}
}

static void explain(void)
{
	fputs("usage: cron [-n STARTS] [-p SECONDS] FILE\n"
	      "Runs the commands in FILE, or prints their first times after SECONDS since 1970:\n"
	      "	cron -n 3 -	# every 10s echo hello, 0 12 * * 1-5 echo noon\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct libwheel_options options = { .size = sizeof(options), .scheme = WHEEL_HASHED };
	long now = time(NULL);
	bool print = false;
	__u32 i;
	int c;

	while ((c = getopt(argc, argv, "n:p:")) != -1) {
		if (c == '?' || !isdigit((unsigned char)*optarg))
			explain();
		print |= c == 'p';
		*(c == 'p' ? &now : &most_starts) = strtol(optarg, NULL, 10);
	}
	if (optind + 1 != argc)
		explain();
	read_jobs(argv[optind], now);
	for (i = 0; print && i < count; i++)
		printf("%ld %s\n", jobs[i].period ? now + (long)(jobs[i].period / SECOND) :
		       next_time(&jobs[i], now), jobs[i].command);
	if (!print && count) {
		int err = libwheel_open(&periods, &options);

		options.clock = WHEEL_CLOCK_REALTIME;
		err = err ? err : libwheel_open(&calendars, &options);
		if (err)
			die("open", err);
		run();
	}
	if (fflush(stdout))
		die("stdout", errno);
	return status;
}
