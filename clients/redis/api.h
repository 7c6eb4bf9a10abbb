/* SPDX-License-Identifier: MIT */
/*
 * The part of the Redis modules API, version 1, that the module uses, declared from its public
 * description (redis.io, "Modules API reference"). Valkey has the same API. The server returns
 * the functions by name to api_load(), which must be called first.
 */
#ifndef API_H
#define API_H

#include <stddef.h>
#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleString;
struct RedisModuleKey;
struct RedisModuleScanCursor;
struct RedisModuleInfoCtx;
struct RedisModuleServerInfoData;
struct RedisModuleCommandFilter;
struct RedisModuleCommandFilterCtx;
struct RedisModuleCallReply;

/* Return values of API functions. */
#define REDIS_OK		0
#define REDIS_ERR		1

/* OpenKey(): delete the key if it has expired; do not update its access time. */
#define REDIS_WRITE		(1 << 1)
#define REDIS_NO_TOUCH		(1 << 16)
/* GetAbsExpire(): the key does not expire. */
#define REDIS_NO_EXPIRE		-1

/*
 * SetModuleOptions(): opening a key for writing does not modify it; the module supports
 * repl-diskless-load swapdb.
 */
#define REDIS_NO_IMPLICIT_SIGNAL_MODIFIED	(1 << 1)
#define REDIS_HANDLE_REPL_ASYNC_LOAD		(1 << 2)

/* GetContextFlags() */
#define REDIS_IS_REPLICA	(1 << 3)
#define REDIS_IS_LOADING	(1 << 13)

/* SubscribeToKeyspaceEvents() */
#define REDIS_NOTIFY_GENERIC	(1 << 2)

/* EventLoopAdd() */
#define REDIS_READABLE		1
#define REDIS_WRITABLE		2

/* RegisterNumericConfig() */
#define REDIS_CONFIG_DEFAULT	0

struct redis_event {
	uint64_t id;
	uint64_t version;
};

/* SubscribeToServerEvent(): events, each followed by its subevents. */
#define REDIS_EVENT_ROLE	((struct redis_event){ 0, 1 })
#define REDIS_NOW_MASTER	0
#define REDIS_NOW_REPLICA	1
#define REDIS_EVENT_FLUSH	((struct redis_event){ 2, 1 })
#define REDIS_FLUSH_END		1
#define REDIS_EVENT_LOADING	((struct redis_event){ 3, 1 })
#define REDIS_LOADING_ENDED	3
#define REDIS_LOADING_FAILED	4
#define REDIS_EVENT_SWAPDB	((struct redis_event){ 11, 1 })
#define REDIS_EVENT_ASYNC_LOAD	((struct redis_event){ 14, 1 })
#define REDIS_ASYNC_LOAD_COMPLETED	2
#define REDIS_EVENT_LOOP	((struct redis_event){ 15, 1 })
#define REDIS_BEFORE_SLEEP	0
#define REDIS_EVENT_CONFIG	((struct redis_event){ 16, 1 })

/* Data of REDIS_EVENT_SWAPDB. */
struct redis_swap {
	uint64_t version;
	int32_t first;
	int32_t second;
};

typedef int redis_notify_fn(struct RedisModuleCtx *ctx, int type,
			    const char *event, struct RedisModuleString *name);
typedef void redis_event_fn(struct RedisModuleCtx *ctx,
			    struct redis_event event, uint64_t subevent,
			    void *data);
typedef void redis_loop_fn(int fd, void *data, int mask);
typedef void redis_scan_fn(struct RedisModuleCtx *ctx,
			   struct RedisModuleString *name,
			   struct RedisModuleKey *key, void *data);
typedef void redis_info_fn(struct RedisModuleInfoCtx *info, int crash);
typedef void redis_filter_fn(struct RedisModuleCommandFilterCtx *command);
typedef long long redis_get_fn(const char *name, void *data);
typedef int redis_set_fn(const char *name, long long value, void *data,
			 struct RedisModuleString **error);
typedef int redis_apply_fn(struct RedisModuleCtx *ctx, void *data,
			   struct RedisModuleString **error);

/* Result, name and parameters of each API function. */
#define API_FUNCTIONS(F)						       \
	F(void, SetModuleAttribs, struct RedisModuleCtx *, const char *, int, int) \
	F(int, IsModuleNameBusy, const char *)				       \
	F(void, SetModuleOptions, struct RedisModuleCtx *, int)		       \
	F(int, GetServerVersion, void)					       \
	F(struct RedisModuleCtx *, GetDetachedThreadSafeContext,	       \
	  struct RedisModuleCtx *)					       \
	F(void, FreeThreadSafeContext, struct RedisModuleCtx *)		       \
	F(int, GetContextFlags, struct RedisModuleCtx *)		       \
	F(int, AvoidReplicaTraffic, void)				       \
	F(void, Log, struct RedisModuleCtx *, const char *, const char *, ...) \
	F(void *, Alloc, size_t)					       \
	F(void *, Calloc, size_t, size_t)				       \
	F(void *, Realloc, void *, size_t)				       \
	F(void, Free, void *)						       \
	F(struct RedisModuleString *, CreateString, struct RedisModuleCtx *,   \
	  const char *, size_t)						       \
	F(struct RedisModuleString *, HoldString, struct RedisModuleCtx *,     \
	  struct RedisModuleString *)					       \
	F(void, FreeString, struct RedisModuleCtx *, struct RedisModuleString *) \
	F(const char *, StringPtrLen, const struct RedisModuleString *, size_t *) \
	F(struct RedisModuleCallReply *, Call, struct RedisModuleCtx *,	       \
	  const char *, const char *, ...)				       \
	F(void, FreeCallReply, struct RedisModuleCallReply *)		       \
	F(const char *, CallReplyStringPtr, struct RedisModuleCallReply *,     \
	  size_t *)							       \
	F(struct RedisModuleCallReply *, CallReplyArrayElement,		       \
	  struct RedisModuleCallReply *, size_t)			       \
	F(void, LatencyAddSample, const char *, long long)		       \
	F(int, GetSelectedDb, struct RedisModuleCtx *)			       \
	F(int, SelectDb, struct RedisModuleCtx *, int)			       \
	F(unsigned long long, DbSize, struct RedisModuleCtx *)		       \
	F(struct RedisModuleKey *, OpenKey, struct RedisModuleCtx *,	       \
	  struct RedisModuleString *, int)				       \
	F(void, CloseKey, struct RedisModuleKey *)			       \
	F(long long, GetAbsExpire, struct RedisModuleKey *)		       \
	F(int, SubscribeToKeyspaceEvents, struct RedisModuleCtx *, int,	       \
	  redis_notify_fn *)						       \
	F(int, SubscribeToServerEvent, struct RedisModuleCtx *,		       \
	  struct redis_event, redis_event_fn *)				       \
	F(int, EventLoopAdd, int, int, redis_loop_fn *, void *)		       \
	F(int, EventLoopDel, int, int)					       \
	F(struct RedisModuleScanCursor *, ScanCursorCreate, void)	       \
	F(void, ScanCursorRestart, struct RedisModuleScanCursor *)	       \
	F(void, ScanCursorDestroy, struct RedisModuleScanCursor *)	       \
	F(int, Scan, struct RedisModuleCtx *, struct RedisModuleScanCursor *,  \
	  redis_scan_fn *, void *)					       \
	F(int, RegisterInfoFunc, struct RedisModuleCtx *, redis_info_fn *)     \
	F(int, InfoAddSection, struct RedisModuleInfoCtx *, const char *)      \
	F(int, InfoAddFieldCString, struct RedisModuleInfoCtx *, const char *, \
	  const char *)							       \
	F(int, InfoAddFieldULongLong, struct RedisModuleInfoCtx *,	       \
	  const char *, unsigned long long)				       \
	F(int, InfoBeginDictField, struct RedisModuleInfoCtx *, const char *)  \
	F(int, InfoEndDictField, struct RedisModuleInfoCtx *)		       \
	F(struct RedisModuleServerInfoData *, GetServerInfo,		       \
	  struct RedisModuleCtx *, const char *)			       \
	F(const char *, ServerInfoGetFieldC, struct RedisModuleServerInfoData *, \
	  const char *)							       \
	F(void, FreeServerInfo, struct RedisModuleCtx *,		       \
	  struct RedisModuleServerInfoData *)				       \
	F(int, RegisterNumericConfig, struct RedisModuleCtx *, const char *,   \
	  long long, unsigned int, long long, long long, redis_get_fn *,       \
	  redis_set_fn *, redis_apply_fn *, void *)			       \
	F(int, LoadConfigs, struct RedisModuleCtx *)			       \
	F(struct RedisModuleCommandFilter *, RegisterCommandFilter,	       \
	  struct RedisModuleCtx *, redis_filter_fn *, int)		       \
	F(int, CommandFilterArgsCount, struct RedisModuleCommandFilterCtx *)   \
	F(struct RedisModuleString *, CommandFilterArgGet,		       \
	  struct RedisModuleCommandFilterCtx *, int)

/* Hidden, so that calls need no global offset table. */
#pragma GCC visibility push(hidden)
#define API_DECLARE(type, name, ...)					       \
	extern type (*RedisModule_##name)(__VA_ARGS__);
API_FUNCTIONS(API_DECLARE)
#undef API_DECLARE
#pragma GCC visibility pop

/*
 * Looks up all functions, and registers the module. Returns REDIS_ERR if the server lacks a
 * function, or has a module of that name.
 */
int api_load(struct RedisModuleCtx *ctx, const char *name, int version);

/* Called by the server when it loads or unloads the module. */
#pragma GCC visibility push(default)
int RedisModule_OnLoad(struct RedisModuleCtx *ctx,
		       struct RedisModuleString **argv, int argc);
int RedisModule_OnUnload(struct RedisModuleCtx *ctx);
#pragma GCC visibility pop

#endif
