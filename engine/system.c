// SPDX-License-Identifier: GPL-2.0
/*
 * The wheel that all modules share.
 */
#include <linux/err.h>
#include <linux/export.h>
#include "engine.h"

struct wheel *wheel_system;
EXPORT_SYMBOL_GPL(wheel_system);

int wheel_system_init(void)
{
	static const struct wheel_config config = {
		.name	= "wheel_system",
		.scheme	= WHEEL_HIERARCHICAL,
		.flags	= WHEEL_PERCPU,
	};
	struct wheel *wheel = wheel_create(&config);

	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	wheel_system = wheel;
	return 0;
}

void wheel_system_exit(void)
{
	struct wheel *wheel = wheel_system;

	/* wheel_destroy() rejects wheel_system. No user is left. */
	wheel_system = NULL;
	wheel_destroy(wheel);
}
