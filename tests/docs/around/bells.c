// SPDX-License-Identifier: GPL-2.0
/* include/uapi/linux/wheel_timer.h: words = (timers + 63) / 64; */
#include <linux/wheel_timer.h>
#include <stddef.h>
#include <sys/mman.h>

void map(size_t timers, int fd, __u64 **bits)
{
	__u64 *bells, *summary;
	size_t words;

#include BLOCK
	bits[0] = bells;
	bits[1] = summary;
}
