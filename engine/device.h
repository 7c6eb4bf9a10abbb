/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the engine that only /dev/wheel needs, which is in the same module.
 */
#ifndef _WHEEL_ENGINE_DEVICE_H
#define _WHEEL_ENGINE_DEVICE_H

#include "module.h"

u32 wheel_number(const struct wheel *wheel);
u64 wheel_reach(const struct wheel *wheel);
unsigned int wheel_batch_max(const struct wheel *wheel);
size_t wheel_bytes_for(const struct wheel_config *config);

#endif
