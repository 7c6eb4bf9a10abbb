// SPDX-License-Identifier: MIT
#include "api.h"
#include "due.h"
#include "homes.h"
#include "look.h"

#define SMALLEST	64
/* More room than this is given back when it was not needed. */
#define LARGEST		4096

static struct {
	struct changed {
		struct RedisModuleString *name;
		uint16_t home;
	} *all;
	uint32_t count, room;
} look;

void look_later(struct RedisModuleString *name, uint16_t home)
{
	if (look.count == look.room) {
		look.room = look.room ? 2 * look.room : SMALLEST;
		look.all = RedisModule_Realloc(look.all,
					       look.room * sizeof(*look.all));
	}
	look.all[look.count++] = (struct changed) {
		.name = RedisModule_HoldString(NULL, name),
		.home = home,
	};
}

static void look_at(struct RedisModuleCtx *ctx, const struct changed *changed)
{
	struct RedisModuleKey *key;

	RedisModule_SelectDb(ctx, home_db(changed->home));
	key = RedisModule_OpenKey(ctx, changed->name,
				  REDIS_WRITE | REDIS_NO_TOUCH);
	due_expect(changed->name, changed->home,
		   RedisModule_GetAbsExpire(key));
	RedisModule_CloseKey(key);
}

void look_now(struct RedisModuleCtx *ctx)
{
	uint32_t i;

	for (i = 0; i < look.count; i++)
		look_at(ctx, &look.all[i]);
	look_drop();
}

void look_drop(void)
{
	uint32_t i;

	for (i = 0; i < look.count; i++)
		RedisModule_FreeString(NULL, look.all[i].name);
	look.count = 0;
	if (look.room > LARGEST) {
		RedisModule_Free(look.all);
		look.all = NULL;
		look.room = 0;
	}
}
