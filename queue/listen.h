/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets.
 */
#ifndef LISTEN_H
#define LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct listener - a listening socket
 * @fd: readable when a connection is pending
 * @spare: closed when no more files can be opened, so that a connection can be rejected
 * @name: for messages
 */
struct listener {
	int fd;
	int spare;
	char name[128];
};

/*
 * Bind an address, or unix:PATH for a Unix socket. Connections are rejected until
 * listener_listen() is called.
 */
void listener_open(struct listener *listener, const char *address,
		   const char *port);
void listener_listen(struct listener *listener);
void listener_close(struct listener *listener);
/* Accept a connection. Return: -1 if none is pending, or if it was rejected. */
int listener_accept(struct listener *listener);
/* Return: true if the peer of a Unix socket is one of these users. */
bool listener_is_user(int fd, const uid_t *users, unsigned int count);
/* Send a response, and close the connection. */
void listener_refuse(int fd, const char *reply);
/* Return: @wanted, or less if the limit on open files is lower. */
uint32_t listener_room(uint32_t wanted);

#endif
