// SPDX-License-Identifier: GPL-2.0
/* tools/man/libwheel.3: struct libwheel_options { */
#include <assert.h>
#include <libwheel.h>
#include <stddef.h>

#define libwheel_options written
#include BLOCK
#undef libwheel_options

static_assert(offsetof(struct written, flags) ==
	      offsetof(struct libwheel_options, flags), "flags");
static_assert(offsetof(struct written, backend) ==
	      offsetof(struct libwheel_options, backend), "backend");
static_assert(offsetof(struct written, clock) ==
	      offsetof(struct libwheel_options, clock), "clock");
static_assert(offsetof(struct written, scheme) ==
	      offsetof(struct libwheel_options, scheme), "scheme");
static_assert(offsetof(struct written, timers) ==
	      offsetof(struct libwheel_options, timers), "timers");
static_assert(offsetof(struct written, buckets) ==
	      offsetof(struct libwheel_options, buckets), "buckets");
static_assert(offsetof(struct written, mode) ==
	      offsetof(struct libwheel_options, mode), "mode");
static_assert(offsetof(struct written, tick_ns) ==
	      offsetof(struct libwheel_options, tick_ns), "tick_ns");
static_assert(sizeof(struct written) == sizeof(struct libwheel_options), "size");
