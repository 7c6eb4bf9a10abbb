// SPDX-License-Identifier: MIT
/*
 * The kernel backend: passes the commands to /dev/wheel.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handle.h"

static int kernel_command(struct handle *handle, unsigned long command, void *arg)
{
	int saved = errno;
	int err = 0;

	if (ioctl(handle->fd, command, arg) < 0)
		err = -errno;
	errno = saved;
	return err;
}

/*
 * read() would be a cancellation point: a thread cancelled there would lose the events that it
 * has taken.
 */
static int kernel_take(struct handle *handle, struct wheel_event *events,
		       __u32 count)
{
	int saved = errno;
	ssize_t bytes = syscall(SYS_read, handle->fd, events, count * sizeof(*events));
	int ret = bytes < 0 ? -errno : (int)(bytes / (ssize_t)sizeof(*events));

	errno = saved;
	return ret == -EAGAIN ? 0 : ret;
}

static void kernel_close(struct handle *handle)
{
	handle_exit(handle);
	free(handle);
}

static const struct backend kernel_backend = {
	.number		= LIBWHEEL_KERNEL,
	.arm		= op_arm,
	.rearm		= op_rearm,
	.rearm_or_arm	= op_rearm_or_arm,
	.cancel		= op_cancel,
	.command	= kernel_command,
	.take		= kernel_take,
	.close		= kernel_close,
};

/* Open /dev/wheel. On success, sets *@handle, and @setup to the effective configuration. */
int kernel_open(struct handle **handle, struct wheel_setup *setup)
{
	struct handle *h = calloc(1, sizeof(*h));
	int err = h ? handle_init(h, &kernel_backend) : -ENOMEM;

	if (err) {
		free(h);
		return err;
	}
	h->fd = open("/dev/wheel", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	err = h->fd < 0 ? -errno : kernel_command(h, WHEEL_IOC_SETUP, setup);
	h->setup = *setup;
	if (!err && setup->flags & WHEEL_SETUP_WORDS)
		err = handle_words_map(h, h->fd);
	if (err)
		kernel_close(h);
	else
		*handle = h;
	return err;
}
