/* SPDX-License-Identifier: MIT */
/*
 * Finds the processes that hold wheels, and reads the state of these wheels.
 */
#ifndef LOOK_H
#define LOOK_H

#include <stdio.h>

#include "wheelctl.h"

/**
 * struct holder - a file descriptor of the device in a process
 * @pid: the process
 * @fd: its descriptor
 * @command: name of the process, in printable characters
 */
struct holder {
	int pid;
	int fd;
	char command[20];
};

/**
 * struct holders - a list of descriptors
 * @list: descriptors, sorted by process and number
 * @count: number of descriptors
 * @hidden: number of processes that this user may not inspect
 */
struct holders {
	struct holder *list;
	size_t count;
	u64 hidden;
};

/*
 * Find the descriptors of process @pid, or of all processes if @pid is 0. NEVER as @only_fd
 * selects all descriptors. Exits if the selected process or descriptor does not exist.
 */
void holders_find(struct holders *h, u64 pid, u64 only_fd);
void holders_free(struct holders *h);
/* Duplicate a descriptor of another process; returns it or a negative errno. */
int holder_borrow(const struct holder *holder);
/* Print the number of hidden processes. */
void print_hidden(FILE *to, const char *before, u64 hidden, const char *after);

/**
 * struct look - state of a wheel
 * @holder: process that holds the wheel
 * @setup: configuration; only the members in fdinfo unless @all is set
 * @stats: counters; only the members in fdinfo unless @all is set
 * @all: true if a duplicate of the descriptor was available
 */
struct look {
	struct holder holder;
	struct wheel_setup setup;
	struct wheel_stats stats;
	bool all;
};

/* Read the state of a wheel without side effects; returns false if it no longer exists. */
bool look_at(struct look *look, const struct holder *holder);
/* Check whether no timer was ever armed. Then a call that lists timers would set it up. */
bool look_is_empty(const struct holder *holder);

/**
 * struct looks - the state of all selected wheels
 * @list: state of each wheel
 * @count: number of wheels
 * @hidden: number of processes that this user may not inspect
 */
struct looks {
	struct look *list;
	size_t count;
	u64 hidden;
};

void looks_take(struct looks *l, u64 pid, u64 only_fd);
void looks_free(struct looks *l);

/**
 * struct occupancy - number of occupied buckets, by groups of adjacent buckets
 * @busy: number of occupied buckets in each group
 * @groups: number of groups, or 0 if the occupancy is unknown
 * @of: number of buckets per group
 */
struct occupancy {
	u32 busy[64];
	u32 groups;
	u32 of;
};

/**
 * struct occupied - a wheel in the debugfs file of the module
 * @tick: tick length in nanoseconds
 * @armed: counter as in struct wheel_stats
 * @fired: counter as in struct wheel_stats
 * @cancelled: counter as in struct wheel_stats
 * @occupancy: occupancy of its buckets
 */
struct occupied {
	u64 tick;
	u64 armed;
	u64 fired;
	u64 cancelled;
	struct occupancy occupancy;
};

/**
 * struct occupied_list - the wheels of open files in debugfs
 * @list: wheels in the order of the file
 * @count: number of wheels, 0 if the file is not readable
 */
struct occupied_list {
	struct occupied *list;
	size_t count;
};

/* Parse the debugfs file. */
void occupied_parse(struct occupied_list *all, FILE *wheels);
/* Read the debugfs file once for all wheels in @looks. */
void occupied_read(struct occupied_list *all, const struct looks *looks);
void occupied_free(struct occupied_list *all);
/*
 * Find the wheel whose counters are between two states of the same wheel, read before and
 * after the debugfs file. Returns false if there is not exactly one.
 */
bool occupancy_find(struct occupancy *o, const struct occupied_list *all,
		    const struct look *before, const struct look *after);
/* The same, given the state of the wheel before the debugfs file was read. */
void occupancy_of(struct occupancy *o, const struct occupied_list *all, const struct look *before);

#endif
