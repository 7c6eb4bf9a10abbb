// SPDX-License-Identifier: MIT
/*
 * keep MILLISECONDS...: arm timers that survive a restart of the program. A service passes the
 * descriptor of its wheel to the file descriptor store of systemd. After a restart, it receives
 * the descriptor again, with the pending timers and the events that occurred meanwhile.
 *
 *	cc -O2 keep.c -o keep
 *
 * This requires /dev/wheel, where a wheel exists as long as its file is open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <linux/wheel_timer.h>

/* The first descriptor that systemd passes to a service. */
#define FIRST_FD	3

static int fail(const char *what)
{
	fprintf(stderr, "keep: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Return the wheel of the previous process, or -1 if this is the first one. */
static int kept_wheel(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

	if (!pid || !count || atol(pid) != getpid() || atoi(count) != 1)
		return -1;
	return FIRST_FD;
}

static socklen_t manager_address(const char *path, struct sockaddr_un *address)
{
	size_t length = strlen(path);

	if (!length || length >= sizeof(address->sun_path))
		return 0;
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, path, length);
	/* An address that begins with @ is in the abstract namespace. */
	if (*path == '@')
		address->sun_path[0] = '\0';
	return offsetof(struct sockaddr_un, sun_path) + length;
}

/* Send a message with a descriptor to the manager. */
static int tell(const char *path, const char *text, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct sockaddr_un address = { 0 };
	struct iovec part = { .iov_base = (char *)text, .iov_len = strlen(text) };
	struct msghdr message = {
		.msg_name = &address, .msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int manager, err;

	message.msg_namelen = manager_address(path, &address);
	if (!message.msg_namelen)
		return -1;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (manager < 0)
		return -1;
	err = sendmsg(manager, &message, MSG_NOSIGNAL) < 0;
	close(manager);
	return err ? -1 : 0;
}

/*
 * Pass a duplicate of the wheel's descriptor to the manager, and wait until the manager has
 * received it and closed its end of the barrier. Without a manager, nothing keeps the wheel.
 */
static int give_to_manager(int wheel)
{
	const char *path = getenv("NOTIFY_SOCKET");
	int barrier[2], err;
	char none;

	if (!path)
		return 0;
	if (pipe2(barrier, O_CLOEXEC))
		return -1;
	err = tell(path, "FDSTORE=1\nFDNAME=wheel\n", wheel) ||
	      tell(path, "BARRIER=1", barrier[1]);
	close(barrier[1]);
	if (!err)
		err = read(barrier[0], &none, 1);
	close(barrier[0]);
	return err ? -1 : 0;
}

/* Arm one timer per argument. The cookie identifies the process that armed it. */
static int arm(int wheel, int slot, const char *milliseconds)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .flags = WHEEL_OP_REL,
		.id = WHEEL_ID(slot, 1), .cookie = getpid(),
		.when = strtoull(milliseconds, NULL, 10) * 1000000,
	};
	struct wheel_submit submit = {
		.size = sizeof(submit), .ops = (uintptr_t)&op,
		.op_size = sizeof(op), .count = 1,
	};

	if (ioctl(wheel, WHEEL_IOC_SUBMIT, &submit))
		return -1;
	errno = -op.res;
	return op.res;
}

static int open_wheel(char **delays)
{
	int wheel = open("/dev/wheel", O_RDWR | O_CLOEXEC);
	int slot;

	if (wheel < 0)
		return -1;
	for (slot = 0; delays[slot]; slot++)
		if (arm(wheel, slot, delays[slot]))
			return -1;
	return give_to_manager(wheel) ? -1 : wheel;
}

/* Check that no timer is pending and that all events have been read. */
static int is_empty(int wheel)
{
	struct wheel_stats stats = { .size = sizeof(stats) };

	return !ioctl(wheel, WHEEL_IOC_STATS, &stats) && !stats.pending &&
	       !stats.unread;
}

int main(int argc, char **argv)
{
	int wheel = kept_wheel();
	struct wheel_event event;

	if (argc < 2) {
		fputs("keep: timers that outlive the program. For instance:\n\tkeep 500 90000\n",
		      stderr);
		return 2;
	}
	if (wheel < 0)
		wheel = open_wheel(argv + 1);
	if (wheel < 0)
		return fail("/dev/wheel");
	while (!is_empty(wheel)) {
		if (read(wheel, &event, sizeof(event)) != sizeof(event))
			return fail("read");
		printf("timer %u of process %llu fired, read by process %d\n",
		       WHEEL_ID_SLOT(event.id), event.cookie, (int)getpid());
		if (fflush(stdout))
			return fail("stdout");
	}
	return 0;
}
