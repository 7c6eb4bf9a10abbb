// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "command.h"
#include "keys.h"
#include "server.h"

/* Fraction of the time, as its reciprocal, that may be spent on the list of clients. */
#define SHARE	100
/* Number of checks during open transactions beyond which notifications are cheaper. */
#define CHECKS	(1 << 16)
/* Shorter latencies are not reported: reading the threshold takes 10 us. */
#define LATENCY_MIN_US	2000
/* Limit on a value of the configuration, with its NUL. */
#define VALUE_LENGTH	32
/* More transactions than can end. */
#define UNKNOWN	(UINT64_MAX / 2)

/* Returns the number of successful calls, from one field of INFO COMMANDSTATS or NULL. */
static uint64_t successes(const char *stats)
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

/* Returns the number of successful calls of all @commands, of which NULL is the end. */
static uint64_t succeeded(const char *const *commands)
{
	struct RedisModuleServerInfoData *info =
		RedisModule_GetServerInfo(NULL, "commandstats");
	uint64_t sum = 0;
	char field[32];

	for (; *commands; commands++) {
		snprintf(field, sizeof(field), "cmdstat_%s", *commands);
		sum += successes(RedisModule_ServerInfoGetFieldC(info, field));
	}
	RedisModule_FreeServerInfo(NULL, info);
	return sum;
}

static struct {
	/* A MULTI was read since the last time that no transaction was open. */
	bool begun;
	/* Number of MULTIs since then; number of ends of transactions by then. */
	uint64_t seen, ended;
	bool ignored, too_much;
	unsigned int round;
	uint32_t checks;
	/* Time of the next check at the earliest, by the monotonic clock. */
	int64_t next_ns;
} transactions;

void transactions_init(void)
{
	memset(&transactions, 0, sizeof(transactions));
	transactions.begun = true;
	transactions.seen = UNKNOWN;
}

void transactions_begun(void)
{
	transactions.begun = !transactions.ignored;
	transactions.seen++;
}

bool transactions_may_be_open(void)
{
	return transactions.begun;
}

unsigned int transactions_round(void)
{
	return transactions.round;
}

bool transactions_cost_too_much(void)
{
	return transactions.too_much;
}

void transactions_ignore(void)
{
	transactions.ignored = true;
	transactions.begun = false;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Each client has a field flags=..., which contains an x if a transaction is open. */
static bool list_has_open(const char *clients, size_t length)
{
	static const char field[] = " flags=";
	const char *end = clients + length;
	const char *at = clients;

	while ((at = memmem(at, end - at, field, strlen(field))))
		for (at += strlen(field); at < end && *at != ' '; at++)
			if (*at == 'x')
				return true;
	return false;
}

/* If the server refuses the list, a transaction may be open. */
static bool client_has_open(struct RedisModuleCtx *ctx)
{
	struct RedisModuleCallReply *reply;
	const char *clients = NULL;
	size_t length;
	bool open;

	reply = RedisModule_Call(ctx, "client", "c", "list");
	if (reply)
		clients = RedisModule_CallReplyStringPtr(reply, &length);
	open = !clients || list_has_open(clients, length);
	if (reply)
		RedisModule_FreeCallReply(reply);
	return open;
}

/* Usually the statistics suffice. An end by RESET or a disconnection is not in them. */
static bool some_are_open(struct RedisModuleCtx *ctx)
{
	uint64_t ended = succeeded((const char *const[]){ "exec", "discard", NULL });

	if (ended - transactions.ended != transactions.seen && client_has_open(ctx))
		return true;
	transactions.seen = 0;
	transactions.ended = ended;
	return false;
}

bool transactions_are_open(struct RedisModuleCtx *ctx)
{
	int64_t begun_ns, end_ns;
	bool enough;

	if (!transactions.begun)
		return false;
	enough = ++transactions.checks >= CHECKS;
	begun_ns = now_ns();
	if (!enough && begun_ns < transactions.next_ns)
		return true;
	transactions.begun = some_are_open(ctx);
	end_ns = now_ns();
	transactions.next_ns = end_ns + SHARE * (end_ns - begun_ns);
	if (!transactions.begun) {
		transactions.round = (transactions.round + 1) % ROUNDS;
		transactions.checks = 0;
	}
	transactions.too_much = transactions.begun && enough;
	return transactions.begun;
}

static struct {
	bool forbidden;
	/* The command was read, and its argument. It counts only if it succeeds. */
	bool read, wanted;
	/* Number of successful DEBUG commands before it. */
	uint64_t succeeded;
	/* The module has suspended the server's own scan. */
	bool suspended;
} debug;

static uint64_t debug_succeeded(void)
{
	return succeeded((const char *const[]){ "debug", NULL });
}

bool debug_read(struct RedisModuleCommandFilterCtx *command)
{
	if (!word_is(command_word(command, 0), "debug") ||
	    !word_is(command_word(command, 1), "set-active-expire"))
		return false;
	if (!debug.read)
		debug.succeeded = debug_succeeded();
	debug.read = true;
	debug.wanted = !word_is(command_word(command, 2), "0");
	return true;
}

bool debug_lets_expire(void)
{
	if (debug.read && debug_succeeded() != debug.succeeded)
		debug.forbidden = !debug.wanted;
	debug.read = false;
	return !debug.forbidden;
}

void server_own_expiry(struct RedisModuleCtx *ctx, bool wanted)
{
	struct RedisModuleCallReply *reply = NULL;

	if (wanted != debug.suspended)
		return;
	debug.suspended = !wanted;
	/* A client's DEBUG SET-ACTIVE-EXPIRE 0 remains in effect. */
	if (!debug.forbidden)
		reply = RedisModule_Call(ctx, "debug", "cc", "set-active-expire",
					 wanted ? "1" : "0");
	if (reply)
		RedisModule_FreeCallReply(reply);
	/* The command filter has read it, too. */
	debug.read = false;
}

void server_log(const char *message)
{
	RedisModule_Log(NULL, "warning", "wheel_expire: %s", message);
}

/* Stores a value of the configuration, or "" if it does not exist. */
static void config_get(struct RedisModuleCtx *ctx, const char *name, char value[VALUE_LENGTH])
{
	struct RedisModuleCallReply *reply = RedisModule_Call(ctx, "config", "cc", "get", name);
	struct RedisModuleCallReply *second = NULL;
	const char *text = NULL;
	size_t length;

	if (reply)
		second = RedisModule_CallReplyArrayElement(reply, 1);
	if (second)
		text = RedisModule_CallReplyStringPtr(second, &length);
	snprintf(value, VALUE_LENGTH, "%.*s", text ? (int)length : 0, text ? text : "");
	if (reply)
		RedisModule_FreeCallReply(reply);
}

bool server_imports(struct RedisModuleCtx *ctx)
{
	char value[VALUE_LENGTH];

	config_get(ctx, "import-mode", value);
	return !strcmp(value, "yes");
}

/* Returns the threshold of the latency monitor in ms; INT64_MAX if it is off. */
static int64_t latency_threshold_ms(struct RedisModuleCtx *ctx)
{
	char value[VALUE_LENGTH];
	int64_t ms;

	config_get(ctx, "latency-monitor-threshold", value);
	ms = strtoll(value, NULL, 10);
	return ms ? ms : INT64_MAX;
}

/* The server would add a sample even if its monitor is off. */
void server_note_latency(struct RedisModuleCtx *ctx, const char *event, int64_t us)
{
	if (us >= LATENCY_MIN_US && us / 1000 >= latency_threshold_ms(ctx))
		RedisModule_LatencyAddSample(event, us / 1000);
}
