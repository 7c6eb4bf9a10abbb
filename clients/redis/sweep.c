// SPDX-License-Identifier: MIT
#include "due.h"
#include "homes.h"
#include "keys.h"
#include "seek.h"
#include "sweep.h"

/* So many of them never matter. */
#define SPARE	1024
/* Keys that are looked at before Redis does anything else. */
#define STEP	64

static struct {
	/* Up to so many nothing is to be done. */
	uint64_t enough;
	/* The number of the key that is looked at next. */
	uint32_t next;
} known;

void sweep_init(void)
{
	known.enough = SPARE;
	known.next = 0;
}

bool sweep_is_wanted(void)
{
	return keys_count() > known.enough;
}

bool sweep(struct RedisModuleCtx *ctx)
{
	uint32_t i;

	if (!sweep_is_wanted())
		return false;
	/* Of more than that at least half are in vain: two looks for each of these. */
	known.enough = SPARE + 2 * homes_keys(ctx);
	seek_begin(ctx);
	for (i = 0; i < STEP && keys_count() > known.enough; i++) {
		if (known.next >= keys_end())
			known.next = 0;
		if (key_at(known.next)->name)
			due_check(ctx, known.next);
		known.next++;
	}
	return sweep_is_wanted();
}
