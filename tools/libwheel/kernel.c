// SPDX-License-Identifier: MIT
/*
 * The kernel backend: passes the commands to /dev/wheel.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops.h"

static int command(int fd, unsigned long cmd, void *arg)
{
	int saved = errno;
	int err = 0;

	if (ioctl(fd, cmd, arg) < 0)
		err = -errno;
	errno = saved;
	return err;
}

static int kernel_submit(struct handle *handle, struct wheel_submit *submit)
{
	return command(handle->fd, WHEEL_IOC_SUBMIT, submit);
}

static int kernel_list(struct handle *handle, struct wheel_list *list)
{
	return command(handle->fd, WHEEL_IOC_LIST, list);
}

static int kernel_stop(struct handle *handle, struct wheel_stop *stop)
{
	return command(handle->fd, WHEEL_IOC_STOP, stop);
}

static int kernel_stats(struct handle *handle, struct wheel_stats *stats)
{
	return command(handle->fd, WHEEL_IOC_STATS, stats);
}

static int kernel_advance(struct handle *handle, struct wheel_advance *advance)
{
	return command(handle->fd, WHEEL_IOC_ADVANCE, advance);
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

static int kernel_kick(struct handle *handle)
{
	struct wheel_enter enter = {
		.size = sizeof(enter), .flags = WHEEL_ENTER_KICK,
	};

	return command(handle->fd, WHEEL_IOC_ENTER, &enter);
}

static void kernel_close(struct handle *handle)
{
	handle_exit(handle);
	free(handle);
}

static const struct backend kernel_backend = {
	.number		= LIBWHEEL_KERNEL,
	.arm		= op_arm,
	.arm_in		= op_arm_in,
	.rearm		= op_rearm,
	.rearm_or_arm	= op_rearm_or_arm,
	.cancel		= op_cancel,
	.submit		= kernel_submit,
	.list		= kernel_list,
	.stop		= kernel_stop,
	.stats		= kernel_stats,
	.advance	= kernel_advance,
	.take		= kernel_take,
	.kick		= kernel_kick,
	.close		= kernel_close,
};

/* Closes @fd on error. */
static int handle_new(struct handle **handle, const struct wheel_setup *setup,
		      int fd)
{
	struct handle *h = calloc(1, sizeof(*h));
	int err = h ? handle_init(h, &kernel_backend, setup, fd) : -ENOMEM;

	if (err) {
		free(h);
		close(fd);
		return err;
	}
	if (setup->flags & WHEEL_SETUP_WORDS)
		err = handle_words_map(h, fd);
	if (err)
		kernel_close(h);
	else
		*handle = h;
	return err;
}

/* Open /dev/wheel. On success, sets *@handle, and @setup to the effective configuration. */
int kernel_open(struct handle **handle, struct wheel_setup *setup)
{
	int fd = open("/dev/wheel", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	err = command(fd, WHEEL_IOC_SETUP, setup);
	if (!err)
		return handle_new(handle, setup, fd);
	close(fd);
	return err;
}
