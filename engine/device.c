// SPDX-License-Identifier: GPL-2.0
/*
 * Properties of a wheel that only /dev/wheel needs.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include "device.h"
#include "engine.h"

/* Return the number of a wheel in debugfs. No other wheel has it until the module is unloaded. */
u32 wheel_number(const struct wheel *wheel)
{
	return wheel->id;
}

/* Return the range of deadlines, from the current time on; WHEEL_MAX_TIME if there is no limit. */
u64 wheel_reach(const struct wheel *wheel)
{
	return wheel_span(&wheel->base->core);
}

/* Return the maximum number of timers to arm per lock hold. */
unsigned int wheel_batch_max(const struct wheel *wheel)
{
	return base_batch_max(wheel->base);
}

/* Return the bytes that wheel_create_owned() would allocate. */
size_t wheel_bytes_for(const struct wheel_config *config)
{
	u32 buckets = wheel_buckets_for(config->scheme, config->buckets, config->limit);
	struct wheel *wheel;

	return kmalloc_size_roundup(struct_size(wheel, base, 1)) +
	       kmalloc_size_roundup(wheel_memory(buckets));
}
