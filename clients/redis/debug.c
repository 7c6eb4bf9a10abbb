// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "command.h"
#include "debug.h"

static struct {
	bool forbidden;
	/* The command was read. It may be refused: then it does not count. */
	bool asked, wanted;
	/* How many DEBUG commands had succeeded before it. */
	unsigned long long succeeded;
} debug;

/* How many DEBUG commands have succeeded, by the server's own statistics. */
static unsigned long long succeeded(void)
{
	struct RedisModuleServerInfoData *info =
		RedisModule_GetServerInfo(NULL, "commandstats");
	const char *field = RedisModule_ServerInfoGetFieldC(info, "cmdstat_debug");
	unsigned long long calls = 0, failed = 0;
	const char *failures;

	if (field && sscanf(field, "calls=%llu", &calls) == 1) {
		failures = strstr(field, "failed_calls=");
		if (failures)
			sscanf(failures, "failed_calls=%llu", &failed);
	}
	RedisModule_FreeServerInfo(NULL, info);
	return calls - failed;
}

bool debug_read(struct RedisModuleCommandFilterCtx *command)
{
	if (!word_is(command_word(command, 0), "debug") ||
	    !word_is(command_word(command, 1), "set-active-expire"))
		return false;
	if (!debug.asked)
		debug.succeeded = succeeded();
	debug.asked = true;
	debug.wanted = !word_is(command_word(command, 2), "0");
	return true;
}

bool debug_lets_expire(void)
{
	if (debug.asked && succeeded() != debug.succeeded)
		debug.forbidden = !debug.wanted;
	debug.asked = false;
	return !debug.forbidden;
}
