// SPDX-License-Identifier: MIT
#include "api.h"

#define API_VERSION	1

#define API_DEFINE(type, name, ...) type (*RedisModule_##name)(__VA_ARGS__);
API_FUNCTIONS(API_DEFINE)

typedef int get_api_fn(const char *name, void *function);

int api_load(struct RedisModuleCtx *ctx, const char *name, int version)
{
	/* The one thing that is known of a context: it begins with this. */
	get_api_fn *get_api = *(get_api_fn **)ctx;

#define API_GET(type, name, ...)					       \
	if (get_api("RedisModule_" #name, &RedisModule_##name) != REDIS_OK)   \
		return REDIS_ERR;
	API_FUNCTIONS(API_GET)

	if (RedisModule_IsModuleNameBusy(name))
		return REDIS_ERR;
	RedisModule_SetModuleAttribs(ctx, name, version, API_VERSION);
	return REDIS_OK;
}
