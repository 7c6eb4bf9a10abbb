// SPDX-License-Identifier: GPL-2.0
/* Documentation/touch.rst: mmap(NULL, len, */
#include <linux/wheel_timer.h>
#include <stddef.h>
#include <sys/mman.h>

void *map(size_t len, int fd);

void *map(size_t len, int fd)
{
	return
#include BLOCK
	;
}
