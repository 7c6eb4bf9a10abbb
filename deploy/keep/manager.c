// SPDX-License-Identifier: GPL-2.0
/*
 * manager PROGRAM ARGUMENT...: simulate the file descriptor store of systemd. Start the program,
 * kill it after it has stored a descriptor, start it again with this descriptor, and exit with
 * its status. Print both process ids.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_FD	3

static const char name[] = "@keep-manager";

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "manager: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int listening(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, name + 1, sizeof(name) - 2);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&address,
		 sizeof(address.sun_family) + sizeof(name) - 1))
		die("socket");
	return listener;
}

/* Start the program, with the stored descriptor unless @kept is -1. */
static pid_t start(char **argv, int kept)
{
	char pid[16];
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child)
		return child;
	setenv("NOTIFY_SOCKET", name, 1);
	if (kept >= 0) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
		setenv("LISTEN_FDNAMES", "wheel", 1);
		dup2(kept, FIRST_FD);
	}
	execv(argv[0], argv);
	die(argv[0]);
}

/* Wait for a message that contains @what, and return its descriptor. */
static int told(int listener, const char *what)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char text[256] = "";
	struct iovec part = { .iov_base = text, .iov_len = sizeof(text) - 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *head;
	int fd;

	if (recvmsg(listener, &message, MSG_CMSG_CLOEXEC) < 0)
		die("recvmsg");
	head = CMSG_FIRSTHDR(&message);
	errno = EPROTO;
	if (!head || head->cmsg_type != SCM_RIGHTS || !strstr(text, what))
		die(what);
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

int main(int argc, char **argv)
{
	int listener = listening(), kept, barrier, status;
	pid_t first, second;

	if (argc < 2)
		return 2;
	first = start(argv + 1, -1);
	kept = told(listener, "FDSTORE=1\n");
	/* The program waits until the barrier is closed, and reads no event before. */
	barrier = told(listener, "BARRIER=1");
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	close(barrier);
	second = start(argv + 1, kept);
	printf("%d %d\n", (int)first, (int)second);
	fflush(stdout);
	waitpid(second, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}
