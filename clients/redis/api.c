// SPDX-License-Identifier: MIT
#include "api.h"

#define API_VERSION	1

#define API_DEFINE(type, name, ...) type (*RedisModule_##name)(__VA_ARGS__);
API_FUNCTIONS(API_DEFINE)

typedef int get_api_fn(const char *name, void *function);

static int refuse(struct RedisModuleCtx *ctx, const char *name, const char *problem)
{
	if (RedisModule_Log)
		RedisModule_Log(ctx, "warning", "%s: cannot be loaded: %s", name, problem);
	return REDIS_ERR;
}

int api_load(struct RedisModuleCtx *ctx, const char *name, int version)
{
	/* A context begins with a pointer to this function. */
	get_api_fn *get_api = *(get_api_fn **)ctx;

	get_api("RedisModule_Log", &RedisModule_Log);
#define API_GET(type, function, ...)					       \
	if (get_api("RedisModule_" #function, &RedisModule_##function) != REDIS_OK) \
		return refuse(ctx, name, "it needs Redis 7.0 or newer, or Valkey; "  \
			      "this server has no RedisModule_" #function);
	API_FUNCTIONS(API_GET)

	if (RedisModule_IsModuleNameBusy(name))
		return refuse(ctx, name, "a module of this name is already loaded");
	RedisModule_SetModuleAttribs(ctx, name, version, API_VERSION);
	return REDIS_OK;
}
