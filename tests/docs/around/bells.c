// SPDX-License-Identifier: GPL-2.0
/* include/uapi/linux/wheel_timer.h: bits = (timers + 63) / 64; */
#include <linux/wheel_timer.h>
#include <stddef.h>
#include <sys/mman.h>

void map(size_t timers, int fd, __u64 **areas)
{
	__u64 *words, *bells, *summary;
	size_t bits;

#include BLOCK
	areas[0] = words;
	areas[1] = bells;
	areas[2] = summary;
}
