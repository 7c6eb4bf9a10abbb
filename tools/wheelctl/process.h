/* SPDX-License-Identifier: MIT */
/*
 * The wheels that another process holds.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "wheelctl.h"

void process_each(u64 pid, u64 only_fd, void (*show)(int pid, int fd));
int process_borrow(int pid, int fd);
void process_fdinfo(int pid, int fd,
		    void (*show)(const char *key, const char *value));

#endif
