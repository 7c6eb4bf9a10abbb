// SPDX-License-Identifier: GPL-2.0
/* lib/man/libwheel.3: struct libwheel_time { */
#include <assert.h>
#include <libwheel.h>

#define libwheel_time written
#include BLOCK
#undef libwheel_time

static_assert(sizeof(struct written) == sizeof(struct libwheel_time), "size");
