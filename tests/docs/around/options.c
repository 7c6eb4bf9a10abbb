// SPDX-License-Identifier: GPL-2.0
/* lib/man/libwheel.3: struct libwheel_options { */
#include <assert.h>
#include <libwheel.h>
#include <stddef.h>

#define libwheel_options written
#include BLOCK
#undef libwheel_options

#define SAME_OFFSET(member)							\
	static_assert(offsetof(struct written, member) ==			\
		      offsetof(struct libwheel_options, member), #member)

SAME_OFFSET(flags);
SAME_OFFSET(backend);
SAME_OFFSET(clock);
SAME_OFFSET(scheme);
SAME_OFFSET(timers);
SAME_OFFSET(buckets);
SAME_OFFSET(mode);
SAME_OFFSET(tick_ns);
static_assert(sizeof(struct written) == sizeof(struct libwheel_options), "size");
