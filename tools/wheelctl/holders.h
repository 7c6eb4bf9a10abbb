/* SPDX-License-Identifier: MIT */
/*
 * The processes that hold wheels.
 */
#ifndef HOLDERS_H
#define HOLDERS_H

#include "wheelctl.h"

/**
 * struct holder - a descriptor of the device in a process
 * @pid: the process
 * @fd: its descriptor
 * @command: what the process calls itself, in printable letters
 */
struct holder {
	int pid;
	int fd;
	char command[20];
};

/**
 * struct holders - many of them
 * @list: by process, then by descriptor
 * @count: how many
 * @hidden: processes that we may not look into
 */
struct holders {
	struct holder *list;
	size_t count;
	u64 hidden;
};

void holders_find(struct holders *h, u64 pid, u64 only_fd);
void holders_tell_hidden(const struct holders *h);
void holders_free(struct holders *h);
int holder_borrow(const struct holder *holder);

#endif
