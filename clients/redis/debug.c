// SPDX-License-Identifier: MIT
#include "api.h"
#include "command.h"
#include "debug.h"
#include "stats.h"

static struct {
	bool forbidden;
	/* The command was read. It may be refused: then it does not count. */
	bool asked, wanted;
	/* How many DEBUG commands had succeeded before it. */
	uint64_t succeeded;
} debug;

static uint64_t succeeded(void)
{
	return stats_succeeded((const char *const[]){ "debug", NULL });
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
