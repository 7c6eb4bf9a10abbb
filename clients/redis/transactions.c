// SPDX-License-Identifier: MIT
#include <string.h>
#include <time.h>

#include "api.h"
#include "keys.h"
#include "stats.h"
#include "transactions.h"

/* The list of all clients is asked for so seldom that it takes one part of so many. */
#define SHARE	100
/* Looks at keys, while transactions are open, that cost more than notifications. */
#define LOOKS	(1 << 16)
/* More than can end. */
#define UNKNOWN	(UINT64_MAX / 2)

static struct {
	/* A MULTI was seen since it was known that none is open. */
	bool begun;
	/* How many since then; and how many had ended by then. */
	uint64_t seen, ended;
	bool ignored, too_much;
	unsigned int round;
	uint32_t looks;
	/* By the monotonic clock; before that the server is not asked again. */
	int64_t ask_ns;
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

/* Is a client amid one? Each has "multi=" and how many commands it has queued, or -1. */
static bool says_open(const char *clients, size_t length)
{
	static const char field[] = " multi=";
	const char *end = clients + length;
	const char *at = clients;

	while ((at = memmem(at, end - at, field, strlen(field)))) {
		at += strlen(field);
		if (at == end || *at != '-')
			return true;
	}
	return false;
}

/* Each EXEC and DISCARD that succeeds ends one; what else ends one is not counted. */
static uint64_t ended(void)
{
	return stats_succeeded((const char *const[]){ "exec", "discard", NULL });
}

/* Without an answer they may be. */
static bool clients_say_open(struct RedisModuleCtx *ctx)
{
	struct RedisModuleCallReply *reply;
	const char *clients = NULL;
	size_t length;
	bool open;

	reply = RedisModule_Call(ctx, "client", "c", "list");
	if (reply)
		clients = RedisModule_CallReplyStringPtr(reply, &length);
	open = !clients || says_open(clients, length);
	if (reply)
		RedisModule_FreeCallReply(reply);
	return open;
}

/* Mostly as many have ended as were begun: then the clients need not be asked. */
static bool ask(struct RedisModuleCtx *ctx)
{
	uint64_t ended_now = ended();

	if (ended_now - transactions.ended != transactions.seen && clients_say_open(ctx))
		return true;
	transactions.seen = 0;
	transactions.ended = ended_now;
	return false;
}

bool transactions_are_open(struct RedisModuleCtx *ctx)
{
	int64_t begun_ns, end_ns;
	bool enough;

	if (!transactions.begun)
		return false;
	enough = ++transactions.looks >= LOOKS;
	begun_ns = now_ns();
	if (!enough && begun_ns < transactions.ask_ns)
		return true;
	transactions.begun = ask(ctx);
	end_ns = now_ns();
	transactions.ask_ns = end_ns + SHARE * (end_ns - begun_ns);
	if (!transactions.begun) {
		transactions.round = (transactions.round + 1) % ROUNDS;
		transactions.looks = 0;
	}
	transactions.too_much = transactions.begun && enough;
	return transactions.begun;
}
