/* SPDX-License-Identifier: MIT */
/*
 * Commands that are run by the timers of one wheel.
 */
#ifndef JOBS_H
#define JOBS_H

#include <sys/types.h>

#include "schedule.h"

/**
 * struct job - a command and when it is due
 * @schedule: when
 * @argv: the command's words, up to a NULL
 * @name: what to call it
 * @gen: of its timer, whose slot is its number
 * @running: its process, or 0
 * @starts: how often it was started
 * @armed: it is due again
 */
struct job {
	struct schedule schedule;
	char **argv;
	const char *name;
	u64 gen;
	pid_t running;
	u64 starts;
	bool armed;
};

/**
 * struct jobs - all of them
 * @job: each
 * @count: how many
 * @most: starts of each, 0: any number
 */
struct jobs {
	struct job *job;
	u32 count;
	u64 most;
};

struct job *jobs_add(struct jobs *jobs, char **argv, const char *name);
int jobs_run(struct jobs *jobs);

#endif
