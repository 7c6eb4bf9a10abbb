// SPDX-License-Identifier: GPL-2.0
/* tools/man/libwheel.3: struct libwheel_options { */
#include <libwheel.h>
#include <stddef.h>

#define libwheel_options written
#include BLOCK
#undef libwheel_options

#define SAME(member)							       \
	_Static_assert(offsetof(struct written, member) ==		       \
		       offsetof(struct libwheel_options, member), #member)

SAME(size);
SAME(flags);
SAME(backend);
SAME(clock);
SAME(scheme);
SAME(timers);
SAME(reserved);
SAME(tick_ns);
_Static_assert(sizeof(struct written) == sizeof(struct libwheel_options), "size");
