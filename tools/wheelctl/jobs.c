// SPDX-License-Identifier: MIT
/*
 * Commands that are run by the timers of one wheel.
 *
 * A job has a timer: a period goes on by itself, what is due by the calendar is armed
 * anew after each start. A job that is due while its command still runs is left out.
 */
#define _GNU_SOURCE
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "due.h"
#include "fail.h"
#include "interrupt.h"
#include "memory.h"

/* A shell's status of a command that could not be run. */
#define NOT_RUN	127

/**
 * struct turn - the jobs while they turn
 * @jobs: the jobs
 * @device: their wheel
 * @interrupt: of interrupt_open()
 * @children: readable when a command has ended
 * @wall: readable when the wall's clock was set
 * @status: of the last command that failed
 * @stopped: 128 + the signal after which no job is started any more
 */
struct turn {
	struct jobs *jobs;
	struct device device;
	int interrupt;
	int children;
	int wall;
	int status;
	int stopped;
};

/**
 * jobs_add - add a job; its schedule is the caller's
 * @jobs: jobs
 * @argv: the command's words, up to a NULL
 * @name: what to call it
 *
 * Return: the job, until another one is added.
 */
struct job *jobs_add(struct jobs *jobs, char **argv, const char *name)
{
	struct job *job;

	if (jobs->count == WHEEL_MAX_TIMERS)
		fail(EXIT_ASKED, "more than 2^24 jobs");
	jobs->job = memory_resized(jobs->job, jobs->count + 1, sizeof(*job));
	job = &jobs->job[jobs->count++];
	memset(job, 0, sizeof(*job));
	job->argv = argv;
	job->name = name;
	return job;
}

/* A time of day is one of the wall's clock, which may be set. */
static void set_up(struct turn *t)
{
	struct wheel_setup *setup = &globals.setup;
	u32 i;

	for (i = 0; i < t->jobs->count; i++) {
		enum schedule_kind kind = t->jobs->job[i].schedule.kind;

		if (kind != SCHEDULE_TIME && kind != SCHEDULE_CALENDAR)
			continue;
		setup->clock = WHEEL_CLOCK_REALTIME;
		setup->scheme = WHEEL_HASHED;
	}
	setup->timers = t->jobs->count;
	device_open(&t->device);
	device_setup(&t->device, setup);
}

static u64 deadline_of(const struct job *job, u64 now)
{
	const struct schedule *s = &job->schedule;
	time_t next;

	switch (s->kind) {
	case SCHEDULE_TIME:
		return (u64)s->time * NSEC_PER_SEC;
	case SCHEDULE_CALENDAR:
		next = schedule_next(s, (time_t)(now / NSEC_PER_SEC));
		return next ? (u64)next * NSEC_PER_SEC : NEVER;
	default:
		return time_sum(now, s->ns);
	}
}

static void arm(struct turn *t, u32 number)
{
	struct job *job = &t->jobs->job[number];
	struct wheel_op op = {
		.op = WHEEL_OP_ARM,
		.id = WHEEL_ID(number, job->gen + 1),
		.when = deadline_of(job, device_now(&t->device)),
	};

	job->armed = op.when != NEVER;
	if (!job->armed)
		return;
	if (job->schedule.kind == SCHEDULE_PERIOD)
		op.period = job->schedule.ns;
	job->gen++;
	device_submit(&t->device, &op, 1);
	if (op.res)
		device_refused("arm", op.res);
}

/*
 * The clock was set, maybe back: what comes again and again comes earlier now than the
 * timer knows. One that fired meanwhile is armed when its event is taken.
 */
static void arm_earlier(struct turn *t, u32 number)
{
	struct job *job = &t->jobs->job[number];
	u64 next = deadline_of(job, device_now(&t->device));
	struct wheel_op op = {
		.op = WHEEL_OP_QUERY,
		.id = WHEEL_ID(number, job->gen),
	};

	if (!job->armed || (job->schedule.kind != SCHEDULE_CALENDAR &&
			    job->schedule.kind != SCHEDULE_PERIOD))
		return;
	device_submit(&t->device, &op, 1);
	if (op.res || op.when <= next)
		return;
	op.op = WHEEL_OP_REARM;
	op.when = next;
	device_submit(&t->device, &op, 1);
}

static void disarm(struct turn *t, u32 number)
{
	struct job *job = &t->jobs->job[number];
	struct wheel_op op = {
		.op = WHEEL_OP_CANCEL,
		.id = WHEEL_ID(number, job->gen),
	};

	job->armed = false;
	device_submit(&t->device, &op, 1);
}

/* In the new process, which has our signals blocked and no terminal to read. */
static void __noreturn become(char **argv)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "wheelctl: %s: %s\n", argv[0], strerror(errno));
	_exit(NOT_RUN);
}

static void start(struct job *job)
{
	if (job->running) {
		fprintf(stderr, "wheelctl: %s: it still runs, so it is not started\n",
			job->name);
		return;
	}
	job->starts++;
	job->running = fork();
	if (job->running < 0)
		fail(EXIT_DEVICE, "fork: %s", strerror(errno));
	if (!job->running)
		become(job->argv);
}

static void take_event(struct turn *t, const struct wheel_event *event)
{
	u32 number = WHEEL_ID_SLOT(event->id);
	struct job *job = &t->jobs->job[number];
	enum schedule_kind kind = job->schedule.kind;

	if (!job->armed)
		return;
	if (event->overrun)
		fprintf(stderr, "wheelctl: %s: %llu time%s missed\n", job->name,
			event->overrun, event->overrun == 1 ? " was" : "s were");
	start(job);
	if (t->jobs->most && job->starts == t->jobs->most) {
		if (kind == SCHEDULE_PERIOD)
			disarm(t, number);
		job->armed = false;
	} else if (kind == SCHEDULE_CALENDAR) {
		arm(t, number);
	} else if (kind != SCHEDULE_PERIOD) {
		job->armed = false;
	}
}

static void take_events(struct turn *t)
{
	struct wheel_event events[64];
	u32 count, i;

	do {
		count = device_read(&t->device, events, ARRAY_SIZE(events));
		for (i = 0; i < count && !t->stopped; i++)
			take_event(t, &events[i]);
	} while (count == ARRAY_SIZE(events));
}

static void note_end(struct turn *t, struct job *job, int status)
{
	job->running = 0;
	if (WIFSIGNALED(status)) {
		t->status = 128 + WTERMSIG(status);
		fprintf(stderr, "wheelctl: %s: ended by signal %d\n", job->name,
			WTERMSIG(status));
	} else if (WEXITSTATUS(status)) {
		t->status = WEXITSTATUS(status);
		fprintf(stderr, "wheelctl: %s: ended with status %d\n",
			job->name, t->status);
	}
}

static void reap(struct turn *t)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;
	u32 i;

	while (read(t->children, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (i = 0; i < t->jobs->count; i++)
			if (t->jobs->job[i].running == pid)
				note_end(t, &t->jobs->job[i], status);
}

static int open_children(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		fail(EXIT_DEVICE, "signalfd: %s", strerror(errno));
	return fd;
}

/* A timer that is never due, and cancelled when the clock is set. */
static int open_wall(void)
{
	const struct itimerspec never = {
		.it_value.tv_sec = (time_t)(WHEEL_MAX_TIME / NSEC_PER_SEC),
	};
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
				      &never, NULL))
		fail(EXIT_DEVICE, "timerfd: %s", strerror(errno));
	return fd;
}

static void follow_wall(struct turn *t)
{
	u64 expiries;
	u32 i;

	if (read(t->wall, &expiries, sizeof(expiries)) >= 0 || errno != ECANCELED)
		return;
	for (i = 0; i < t->jobs->count; i++)
		arm_earlier(t, i);
}

/* Is a command running, or will there be one? */
static bool goes_on(const struct turn *t)
{
	u32 i;

	for (i = 0; i < t->jobs->count; i++)
		if (t->jobs->job[i].running ||
		    (t->jobs->job[i].armed && !t->stopped))
			return true;
	return false;
}

static void wait_for_anything(const struct turn *t)
{
	struct pollfd fds[] = {
		{ .fd = t->stopped ? -1 : t->device.fd, .events = POLLIN },
		{ .fd = t->children, .events = POLLIN },
		{ .fd = t->interrupt, .events = POLLIN },
		{ .fd = t->stopped ? -1 : t->wall, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
		fail(EXIT_DEVICE, "poll: %s", strerror(errno));
}

/**
 * jobs_run - arm all jobs and run them, until none is due any more
 * @jobs: jobs
 *
 * After a signal no command is started any more, and those that run are waited for.
 *
 * Return: exit status: that of the last command that failed, or the signal's.
 */
int jobs_run(struct jobs *jobs)
{
	struct turn turn = { .jobs = jobs };
	u32 i;

	set_up(&turn);
	turn.interrupt = interrupt_open();
	turn.children = open_children();
	turn.wall = open_wall();
	for (i = 0; i < jobs->count; i++)
		arm(&turn, i);
	while (goes_on(&turn)) {
		wait_for_anything(&turn);
		if (!turn.stopped)
			turn.stopped = interrupt_seen(turn.interrupt);
		if (!turn.stopped) {
			follow_wall(&turn);
			take_events(&turn);
		}
		reap(&turn);
	}
	close(turn.wall);
	close(turn.children);
	device_close(&turn.device);
	return turn.stopped ? turn.stopped : turn.status;
}
