// SPDX-License-Identifier: MIT
#include <errno.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server.h"

#define TIMEOUT_S	10
/* Measurements of the clock's offset; the one with the shortest round trip counts. */
#define CLOCK_SAMPLES	8

static struct {
	/* Connection for commands, and for invalidation messages. */
	redisContext *commands;
	redisContext *messages;
	/* The server's clock minus the local one. */
	int64_t offset_us;
} server;

void die(const char *format, ...)
{
	va_list args;

	fputs("expire-lag: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static redisReply *check(redisContext *context, void *reply, const char *command)
{
	redisReply *checked = reply;

	if (!checked)
		die("%.20s: %s", command, context->errstr);
	if (checked->type == REDIS_REPLY_ERROR)
		die("%.20s: %s", command, checked->str);
	return checked;
}

static redisReply *call(redisContext *context, const char *format, ...)
{
	redisReply *reply;
	va_list args;

	va_start(args, format);
	reply = redisvCommand(context, format, args);
	va_end(args);
	return check(context, reply, format);
}

static void call_only(redisContext *context, const char *format, const char *argument)
{
	freeReplyObject(call(context, format, argument));
}

static redisContext *connect_one(const struct server_address *address)
{
	const struct timeval timeout = { .tv_sec = TIMEOUT_S };
	const char *password = getenv("REDISCLI_AUTH");
	redisContext *context;
	char database[16];

	context = address->path ?
		redisConnectUnixWithTimeout(address->path, timeout) :
		redisConnectWithTimeout(address->host, address->port, timeout);
	if (!context)
		die("%s", strerror(ENOMEM));
	if (context->err && address->path)
		die("%s: %s", address->path, context->errstr);
	if (context->err)
		die("%s:%d: %s", address->host, address->port, context->errstr);
	redisSetTimeout(context, timeout);
	if (password)
		call_only(context, "AUTH %s", password);
	snprintf(database, sizeof(database), "%d", address->database);
	call_only(context, "SELECT %s", database);
	return context;
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

int64_t server_now_us(void)
{
	return now_us() + server.offset_us;
}

static void measure_offset(void)
{
	int64_t shortest_us = INT64_MAX;
	int i;

	for (i = 0; i < CLOCK_SAMPLES; i++) {
		int64_t begin_us = now_us(), trip_us;
		redisReply *time = call(server.commands, "TIME");

		trip_us = now_us() - begin_us;
		if (trip_us < shortest_us) {
			shortest_us = trip_us;
			server.offset_us = atoll(time->element[0]->str) * 1000000 +
				atoll(time->element[1]->str) - begin_us - trip_us / 2;
		}
		freeReplyObject(time);
	}
}

void server_connect(const struct server_address *address)
{
	server.commands = connect_one(address);
	server.messages = connect_one(address);
	measure_offset();
}

void server_close(void)
{
	redisFree(server.commands);
	redisFree(server.messages);
}

void server_track(const char *prefix)
{
	redisReply *id = call(server.messages, "CLIENT ID");

	call_only(server.messages, "SUBSCRIBE %s", "__redis__:invalidate");
	freeReplyObject(call(server.commands,
			     "CLIENT TRACKING ON REDIRECT %lld BCAST NOLOOP PREFIX %s",
			     id->integer, prefix));
	freeReplyObject(id);
}

/* A message has three elements: "message", the channel, and an array of names. */
static void on_message(const redisReply *message, server_deleted_fn *deleted)
{
	const redisReply *names;
	size_t i;

	if (message->type != REDIS_REPLY_ARRAY || message->elements != 3)
		return;
	names = message->element[2];
	if (names->type != REDIS_REPLY_ARRAY)
		return;
	for (i = 0; i < names->elements; i++)
		deleted(names->element[i]->str, server_now_us());
}

void server_wait_deletions(int64_t end_us, server_deleted_fn *deleted)
{
	struct pollfd poll_fd = { .fd = server.messages->fd, .events = POLLIN };
	int64_t wait_ms = (end_us - server_now_us()) / 1000 + 1;
	void *message;

	if (wait_ms > 0 && poll(&poll_fd, 1, wait_ms) <= 0)
		return;
	if (redisBufferRead(server.messages) != REDIS_OK)
		die("%s", server.messages->errstr);
	while (redisReaderGetReply(server.messages->reader, &message) == REDIS_OK && message) {
		on_message(message, deleted);
		freeReplyObject(message);
	}
}

void server_append(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	redisvAppendCommand(server.commands, format, args);
	va_end(args);
}

void server_flush(long count)
{
	void *reply;

	while (count--) {
		if (redisGetReply(server.commands, &reply) != REDIS_OK)
			die("%s", server.commands->errstr);
		freeReplyObject(check(server.commands, reply, "probe key"));
	}
}

/* The module's buckets are cumulative: le_1ms=N,...,count=N,sum_usec=N,... */
static void parse_lag(const char *field, struct lag_metrics *lag)
{
	uint64_t value, last = 0;
	int i;

	for (i = 0; i < LAG_BUCKETS; i++) {
		value = strtoull(strchr(field, '=') + 1, NULL, 10);
		lag->counts[i] = value - last;
		last = value;
		field = strchr(field, ',') + 1;
	}
	lag->sum_us = strtoll(strchr(field, '=') + 1, NULL, 10);
}

bool server_module_lag(struct lag_metrics *lag)
{
	static const char name[] = "wheel_expire_lag:";
	redisReply *info = call(server.commands, "INFO wheel_expire");
	const char *field = strstr(info->str, name);

	if (field) {
		lag->name = "wheel_expire_lag";
		lag->help = "Time from the expiry of a key to its deletion by wheel_expire.";
		parse_lag(field + strlen(name), lag);
	}
	freeReplyObject(info);
	return field;
}
