/* SPDX-License-Identifier: MIT */
/*
 * The listeners that connections come from.
 */
#ifndef LISTEN_H
#define LISTEN_H

#include <stdint.h>

/**
 * struct listener - an address that is listened on
 * @fd: readable when somebody wants a connection
 * @spare: a file that is closed when there are no more files, so that who wants
 *	a connection can be told
 * @name: as people know it
 */
struct listener {
	int fd;
	int spare;
	char name[128];
};

/*
 * Take an address, so that nobody else has it: a name or an address, or unix:PATH for a
 * socket in a folder. Connections are refused until it is listened on.
 */
void listener_open(struct listener *listener, const char *address,
		   const char *port);
void listener_listen(struct listener *listener);
void listener_close(struct listener *listener);
/* A new connection, or -1: nobody wants one now, or it was refused. */
int listener_accept(struct listener *listener);
/* Say that there is no room, and close it. */
void listener_refuse(int fd);
/* How many of @wanted connections this process may have open files for. */
uint32_t listener_room(uint32_t wanted);

#endif
