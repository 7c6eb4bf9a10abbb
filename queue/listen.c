// SPDX-License-Identifier: MIT
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fail.h"

#define BACKLOG		1024
#define UNIX		"unix:"
/* Open files other than connections: of the store and the timers, with a margin. */
#define OTHER_FILES	64

static int try_bind(int family, const struct sockaddr *address,
		    socklen_t length)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, address, length))
		return fd;
	close(fd);
	return -1;
}

/* Remove the socket of a server that was killed. */
static void remove_left_behind(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct stat file;

	if (!lstat(address->sun_path, &file) && S_ISSOCK(file.st_mode) &&
	    connect(fd, (struct sockaddr *)address, sizeof(*address)) &&
	    errno == ECONNREFUSED)
		unlink(address->sun_path);
	close(fd);
}

static int bind_in_directory(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		fail(EXIT_USAGE, "socket path must be shorter than %zu bytes: %s",
		     sizeof(address.sun_path), path);
	memcpy(address.sun_path, path, strlen(path));
	remove_left_behind(&address);
	fd = try_bind(AF_UNIX, (struct sockaddr *)&address, sizeof(address));
	/* Access is limited by its directory. */
	if (fd >= 0 && chmod(path, 0666))
		fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	return fd;
}

/*
 * Accepted connections inherit these. A response is sent immediately, even if the previous one was
 * not acknowledged. An unreachable peer is detected after some hours.
 */
static void set_options(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
}

static int bind_on_network(const char *address, const char *port)
{
	struct addrinfo hints = {
		.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *list, *to;
	int err = getaddrinfo(address, port, &hints, &list);
	int fd = -1;

	if (err)
		fail(EXIT_USAGE, "cannot listen on %s port %s: %s", address,
		     port, gai_strerror(err));
	for (to = list; to && fd < 0; to = to->ai_next)
		fd = try_bind(to->ai_family, to->ai_addr, to->ai_addrlen);
	if (fd >= 0)
		set_options(fd);
	freeaddrinfo(list);
	return fd;
}

void listener_open(struct listener *listener, const char *address,
		   const char *port)
{
	bool is_local = !strncmp(address, UNIX, strlen(UNIX));

	snprintf(listener->name, sizeof(listener->name), "%s%s%s", address,
		 is_local ? "" : " port ", is_local ? "" : port);
	listener->fd = is_local ? bind_in_directory(address + strlen(UNIX)) :
				  bind_on_network(address, port);
	if (listener->fd < 0)
		fail(EXIT_FAILED, "cannot listen on %s: %s", listener->name,
		     strerror(errno));
	listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void listener_listen(struct listener *listener)
{
	if (listen(listener->fd, BACKLOG))
		fail(EXIT_FAILED, "cannot listen on %s: %s", listener->name,
		     strerror(errno));
}

void listener_close(struct listener *listener)
{
	close(listener->fd);
	close(listener->spare);
}

bool listener_is_user(int fd, const uid_t *users, unsigned int count)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return false;
	while (count)
		if (users[--count] == peer.uid)
			return true;
	return false;
}

void listener_refuse(int fd, const char *reply)
{
	/* The connection is closed in any case. */
	if (send(fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
		errno = 0;
	close(fd);
}

int listener_accept(struct listener *listener)
{
	int fd = accept4(listener->fd, NULL, NULL,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
		return fd;
	/* Without this, the pending connection would wake the loop up repeatedly. */
	close(listener->spare);
	fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		listener_refuse(fd, "OUT_OF_MEMORY\r\n");
	listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return -1;
}

uint32_t listener_room(uint32_t wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		fail(EXIT_FAILED, "getrlimit: %s", strerror(errno));
	if (limit.rlim_cur < (rlim_t)wanted + OTHER_FILES) {
		limit.rlim_cur = (rlim_t)wanted + OTHER_FILES;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur <= OTHER_FILES)
		fail(EXIT_FAILED, "the limit of %llu open files allows no connections",
		     (unsigned long long)limit.rlim_cur);
	if (limit.rlim_cur - OTHER_FILES < wanted)
		return limit.rlim_cur - OTHER_FILES;
	return wanted;
}
