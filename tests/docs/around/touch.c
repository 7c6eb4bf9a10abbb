// SPDX-License-Identifier: GPL-2.0
/* tools/man/libwheel.7: struct wheel_op op = { */
#include <libwheel.h>

void live(struct libwheel *wheel, uint32_t slot, uint64_t now, uint64_t idle,
	  uint64_t timeout)
{
#include BLOCK
}
