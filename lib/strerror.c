// SPDX-License-Identifier: MIT
/*
 * Messages of the library. The system has other messages for these error numbers.
 */
#include <string.h>

#include "handle.h"

/* Cause of the last -EINVAL of this thread. */
static __thread const char *cause_of_einval;

int invalid(const char *cause)
{
	cause_of_einval = cause;
	return -EINVAL;
}

static const char *message_of(int number)
{
	switch (number) {
	case EINVAL:
		return cause_of_einval ?: "invalid option, flag, operation, slot, tick or size";
	case E2BIG:
		return "not supported by this version of libwheel: install a newer one";
	case ENOENT:
		return "no such timer is pending";
	case EBUSY:
		return "the slot is not free";
	case ESTALE:
		return "the generation is not newer than the last one of the slot";
	case ERANGE:
		return "the time is past the end of the clock, or past the end of a bounded wheel";
	case EDQUOT:
		return "all slots are in use, or your wheels have reached their memory limit";
	case ESHUTDOWN:
		return "the wheel was stopped";
	case EPERM:
		return "ticks below 50 us require CAP_SYS_RESOURCE, or /dev/wheel is forbidden";
	case EACCES:
		return "only root and members of its group may open /dev/wheel";
	case ENODEV:
		return "no /dev/wheel: run 'modprobe wheel_timer' or set LIBWHEEL_BACKEND=user";
	case ENOPROTOOPT:
		return "LIBWHEEL_BACKEND is not one of kernel, user and auto";
	case EPROTOTYPE:
		return "REALTIME and TAI clocks require WHEEL_HASHED or WHEEL_BOUNDED";
	case EOPNOTSUPP:
		return "not supported by this wheel, backend or time namespace";
	case ECHILD:
		return "the wheel is the parent's: a child of fork() may only list and close it";
	default:
		return NULL;
	}
}

const char *libwheel_strerror(int err)
{
	/* INT_MIN has no opposite and remains unchanged. */
	int number = (int)-(unsigned int)err;
	const char *message = message_of(number);
	int saved = errno;

	if (!message)
		message = strerror(number);
	errno = saved;
	return message;
}
