// SPDX-License-Identifier: GPL-2.0
/* include/uapi/linux/wheel_timer.h: mmap(NULL, (timers * 8 + page - 1) / page * page, */
#include <linux/wheel_timer.h>
#include <stddef.h>
#include <sys/mman.h>

void *map(size_t timers, size_t page, int fd);

void *map(size_t timers, size_t page, int fd)
{
	return
#include BLOCK
	;
}
