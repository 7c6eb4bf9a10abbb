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
 * @user: name of its user, or the number if there is no name
 * @command: name of the process, in printable characters
 * @user: name or number of its user
 */
struct holder {
	int pid;
	int fd;
	char command[20];
	char user[20];
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
 * @holder: process that holds the wheel; its @pid is 0 and its @command is the name of the wheel if
 *	the wheel belongs to a kernel module
 * @setup: configuration; only the members in fdinfo unless @all is set
 * @stats: counters; only the members in fdinfo unless @all is set
 * @all: true if a duplicate of the descriptor was available
 * @number: number of the wheel in debugfs, NEVER if it has none yet
 * @next_in: time until the next expiry or scan; NEVER if none is pending, or without debugfs
 * @memory: memory of the wheel in bytes, or NEVER if unknown, as the following two
 * @user_memory: memory of all wheels of its user
 * @user_limit: limit of @user_memory; NEVER also if the user is privileged
 */
struct look {
	struct holder holder;
	struct wheel_setup setup;
	struct wheel_stats stats;
	bool all;
	u64 number;
	u64 next_in;
	u64 memory;
	u64 user_memory;
	u64 user_limit;
};

/* The process, descriptor, user and memory, as members of an object. */
void json_holder(const struct look *look);
/* Print "process 12 (name), descriptor 3", or "kernel module's wheel 4 (name)". */
void print_title(FILE *to, const struct look *look, void (*put)(FILE *to, const char *text));

/* Read the state of a wheel without side effects; returns false if it no longer exists. */
bool look_at(struct look *look, const struct holder *holder);
/* Read only what fdinfo contains. */
bool look_fdinfo(struct look *look, const struct holder *holder);
/* Check whether no timer was ever armed. Then a call that lists timers would set it up. */
bool look_is_empty(const struct holder *holder);

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
 * struct listed - a wheel in the debugfs file of the module
 * @number: its number, which fdinfo contains, too
 * @name: name of the wheel of a module, or "/dev/wheel"
 * @setup: clock, scheme, tick, buckets and limit
 * @stats: counters that fdinfo contains
 * @now: time of its clock
 * @next: time of the next expiry or scan, NEVER if no timer is pending
 * @occupancy: occupancy of its buckets
 */
struct listed {
	u64 number;
	char name[20];
	struct wheel_setup setup;
	struct wheel_stats stats;
	u64 now;
	u64 next;
	struct occupancy occupancy;
};

/**
 * struct listing - all wheels in debugfs
 * @list: wheels in the order of the file
 * @count: number of wheels, 0 if the file is not readable
 */
struct listing {
	struct listed *list;
	size_t count;
};

/* Parse the debugfs file. */
void listing_parse(struct listing *all, FILE *wheels);
void listing_free(struct listing *all);

/**
 * struct looks - the state of all selected wheels
 * @list: state of each wheel
 * @count: number of wheels
 * @hidden: number of processes that this user may not inspect
 * @listing: all wheels in debugfs
 */
struct looks {
	struct look *list;
	size_t count;
	u64 hidden;
	struct listing listing;
};

/* Read the wheels of a process, or those of all processes and kernel modules. */
void looks_take(struct looks *l, u64 pid, u64 only_fd);
/* Add the wheels of modules, and what only debugfs knows about the others. */
void looks_complete(struct looks *l, bool modules);
void looks_free(struct looks *l);
/* Return the occupancy of a wheel, which has no groups if it is unknown. */
struct occupancy occupancy_of(const struct looks *l, const struct look *look);

#endif
