// SPDX-License-Identifier: MIT
#include "api.h"
#include "due.h"
#include "keys.h"
#include "look.h"
#include "seek.h"
#include "transactions.h"

#define SMALLEST	64
/* More room than this is given back when it was not needed. */
#define LARGEST		4096

static struct {
	struct RedisModuleString **names;
	uint32_t count, room;
} look;

void look_later(struct RedisModuleString *name)
{
	if (look.count == look.room) {
		look.room = look.room ? 2 * look.room : SMALLEST;
		look.names = RedisModule_Realloc(look.names,
						 look.room * sizeof(*look.names));
	}
	look.names[look.count++] = RedisModule_HoldString(NULL, name);
}

bool look_is_wanted(void)
{
	return look.count;
}

void look_now(struct RedisModuleCtx *ctx)
{
	bool queued;
	uint32_t i;

	if (!look.count)
		return;
	queued = transactions_are_open(ctx);
	seek_begin(ctx);
	/* A module that hears of a key which is deleted may give us more names. */
	for (i = 0; i < look.count; i++) {
		struct name name = name_of(look.names[i]);

		due_expect(name.string, seek(ctx, name.string).expires_ms);
		/* The transaction may let it expire at any time. */
		if (queued)
			due_expect_life(&name, 1);
	}
	look_drop();
}

void look_drop(void)
{
	uint32_t i;

	for (i = 0; i < look.count; i++)
		RedisModule_FreeString(NULL, look.names[i]);
	look.count = 0;
	if (look.room > LARGEST) {
		RedisModule_Free(look.names);
		look.names = NULL;
		look.room = 0;
	}
}
