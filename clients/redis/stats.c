// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "stats.h"

/* In what is said of one, which is NULL if it was never called. */
static uint64_t succeeded(const char *stats)
{
	uint64_t calls, failed = 0;
	const char *failures;

	if (!stats || sscanf(stats, "calls=%" SCNu64, &calls) != 1)
		return 0;
	failures = strstr(stats, "failed_calls=");
	if (failures)
		sscanf(failures, "failed_calls=%" SCNu64, &failed);
	return calls - failed;
}

uint64_t stats_succeeded(const char *const *commands)
{
	struct RedisModuleServerInfoData *info =
		RedisModule_GetServerInfo(NULL, "commandstats");
	uint64_t sum = 0;
	char field[32];

	for (; *commands; commands++) {
		snprintf(field, sizeof(field), "cmdstat_%s", *commands);
		sum += succeeded(RedisModule_ServerInfoGetFieldC(info, field));
	}
	RedisModule_FreeServerInfo(NULL, info);
	return sum;
}
