// SPDX-License-Identifier: MIT
/*
 * The answers of the library, in words: the system has others for these numbers.
 */
#include <string.h>

#include "libwheel.h"

static const char *words_of(int number)
{
	switch (number) {
	case EINVAL:
		return "an option, flag, operation, slot or size that does not exist";
	case E2BIG:
		return "this library is older than what is asked of it";
	case ENOENT:
		return "no such timer is pending, or there is no /dev/wheel";
	case EBUSY:
		return "the slot is not free";
	case ESTALE:
		return "the generation is not newer than the slot's last one";
	case ERANGE:
		return "a time past the clock's end, or beyond what a bounded wheel holds";
	case EDQUOT:
		return "all slots are in use, or your wheels hold as much memory as they may";
	case ESHUTDOWN:
		return "the wheel was stopped";
	case EPERM:
		return "a tick below 50 us takes CAP_SYS_RESOURCE, or /dev/wheel is forbidden here";
	case EACCES:
		return "only members of its group may open /dev/wheel";
	case EOPNOTSUPP:
		return "known, but not by this wheel, backend or time namespace";
	case ECHILD:
		return "the wheel is the parent's: a child of fork() may look and close it";
	default:
		return NULL;
	}
}

const char *libwheel_strerror(int err)
{
	/* The least int has no opposite: it stays what it is. */
	int number = (int)-(unsigned int)err;
	const char *words = words_of(number);
	int saved = errno;

	if (!words)
		words = strerror(number);
	errno = saved;
	return words;
}
