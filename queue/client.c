// SPDX-License-Identifier: MIT
#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "requests.h"

/* A connection with more unread responses is not read. */
#define OUT_BYTES	65536
/* In this time before the end of a TTR, a wait ends with DEADLINE_SOON. */
#define MARGIN_MS	1000
#define BODY_END	2

static void timer_expired(struct timer *timer)
{
	struct client *client = container_of(timer, struct client, timer);
	struct queue *queue = client->server->queue;

	worker_stop_waiting(&client->worker);
	client->state = CLIENT_LINE;
	if (timers_now(queue->timers, CLOCK_QUEUE) >= client->give_up)
		client_reply(client, "TIMED_OUT\r\n");
	else
		client_reply(client, "DEADLINE_SOON\r\n");
}

struct client *client_open(struct server *server, int fd)
{
	struct client *client = zeroed(1, sizeof(*client));

	client->server = server;
	client->fd = fd;
	client->timer.expired = timer_expired;
	worker_init(&client->worker);
	client->used = queue_tube(server->queue, "default");
	client->used->users++;
	worker_watch(&client->worker, client->used);
	return client;
}

void client_close(struct client *client)
{
	struct queue *queue = client->server->queue;

	timer_cancel(queue->timers, &client->timer);
	queue_abandon(queue, &client->worker);
	worker_clear(&client->worker);
	client->used->users--;
	tube_drop(client->used);
	buffer_clear(&client->in);
	buffer_clear(&client->out);
	close(client->fd);
	free(client);
}

void client_set_busy(struct client *client)
{
	if (client->is_busy)
		return;
	TAILQ_INSERT_TAIL(&client->server->busy, client, busy);
	client->is_busy = true;
}

void client_skip_body(struct client *client, const char *reply)
{
	client->state = CLIENT_SKIP;
	client->skip = (uint64_t)client->put.bytes + BODY_END;
	client->reply = reply;
}

void client_reply(struct client *client, const char *text)
{
	buffer_add(&client->out, text, strlen(text));
	client_set_busy(client);
}

/* Return: false if the job is damaged; then nothing is sent. */
static bool send_job(struct client *client, const char *word,
		     const struct job_record *rec)
{
	struct buffer *out = &client->out;
	size_t before = buffer_count(out);

	buffer_print(out, "%s %llu %u\r\n", word, (unsigned long long)rec->id,
		     rec->size);
	if (!queue_body(client->server->queue, rec,
			buffer_room(out, rec->size + 1))) {
		out->to = out->from + before;
		return false;
	}
	out->to += rec->size;
	client_reply(client, "\r\n");
	return true;
}

void client_send_job(struct client *client, const char *word,
		     const struct job_record *rec)
{
	if (!send_job(client, word, rec))
		client_reply(client, "INTERNAL_ERROR\r\n");
}

bool client_send_reserved(struct client *client, struct job *job)
{
	if (send_job(client, "RESERVED", &job->rec))
		return true;
	queue_bury(client->server->queue, &client->worker, job->rec.id,
		   job->rec.pri);
	return false;
}

void client_send_waited(struct client *client, struct job *job)
{
	timer_cancel(client->server->queue->timers, &client->timer);
	worker_stop_waiting(&client->worker);
	client->state = CLIENT_LINE;
	if (!client_send_reserved(client, job))
		client_wait(client);
}

void client_wait(struct client *client)
{
	struct queue *queue = client->server->queue;
	struct timers *timers = queue->timers;
	uint64_t end = worker_deadline(&client->worker);
	uint64_t until = end == UINT64_MAX ? end : end - MARGIN_MS;

	/* Deadlines are rounded up. A TTR of a second is within the margin from its start. */
	if (until <= timers_now_ceil(timers, CLOCK_QUEUE)) {
		client_reply(client, "DEADLINE_SOON\r\n");
		return;
	}
	if (client->give_up < until)
		until = client->give_up;
	if (until <= timers_now(timers, CLOCK_QUEUE) || client->has_ended) {
		client_reply(client, "TIMED_OUT\r\n");
		return;
	}
	if (until != UINT64_MAX && !timers_have_room(timers, CLOCK_QUEUE)) {
		client_reply(client, "OUT_OF_MEMORY\r\n");
		return;
	}
	client->state = CLIENT_WAITS;
	worker_wait(&client->worker);
	if (until != UINT64_MAX)
		timer_set(timers, CLOCK_QUEUE, &client->timer, until);
}

void client_stop_waiting(struct client *client)
{
	timer_cancel(client->server->queue->timers, &client->timer);
	worker_stop_waiting(&client->worker);
	client->state = CLIENT_LINE;
	client_reply(client, "TIMED_OUT\r\n");
}

void client_read(struct client *client)
{
	client->is_dead |= !buffer_read(&client->in, client->fd, &client->has_ended);
	client_set_busy(client);
}

void client_write(struct client *client)
{
	/* The responses of a lost store are not sent. */
	if (!client->is_dead)
		client->is_dead = !buffer_send(&client->out, client->fd);
}

bool client_can_run(const struct client *client)
{
	return !client->is_dead && buffer_count(&client->out) < OUT_BYTES &&
	       client->state != CLIENT_WAITS && client->state != CLIENT_QUITS;
}

/* Discard the rest of a line that is too long. */
static bool skip_line(struct client *client)
{
	struct buffer *in = &client->in;
	char *end = memmem(buffer_bytes(in), buffer_count(in), "\r\n", 2);

	if (!end) {
		/* The last byte may be the first byte of the end. */
		buffer_take(in, buffer_count(in) - 1);
		return false;
	}
	buffer_take(in, end + 2 - buffer_bytes(in));
	client->state = CLIENT_LINE;
	client_reply(client, "BAD_FORMAT\r\n");
	return true;
}

static bool take_line(struct client *client)
{
	struct buffer *in = &client->in;
	size_t most = buffer_count(in);
	char line[LINE_MAX_BYTES];
	char *end;
	size_t length;

	if (most > LINE_MAX_BYTES)
		most = LINE_MAX_BYTES;
	end = memmem(buffer_bytes(in), most, "\r\n", 2);
	if (!end) {
		if (most < LINE_MAX_BYTES)
			return false;
		client->state = http_may_be_request(buffer_bytes(in), most) ?
			CLIENT_QUITS : CLIENT_SKIP_LINE;
		return true;
	}
	length = end - buffer_bytes(in);
	memcpy(line, buffer_bytes(in), length);
	line[length] = '\0';
	command_run(client, line, length);
	buffer_take(in, length + 2);
	return true;
}

static bool take_body(struct client *client)
{
	struct buffer *in = &client->in;
	size_t size = client->put.bytes;

	if (buffer_count(in) < size + BODY_END)
		return false;
	client->state = CLIENT_LINE;
	if (memcmp(buffer_bytes(in) + size, "\r\n", BODY_END))
		client_reply(client, "EXPECTED_CRLF\r\n");
	else
		command_put(client, buffer_bytes(in));
	buffer_take(in, size + BODY_END);
	return true;
}

static bool skip(struct client *client)
{
	size_t count = buffer_count(&client->in);

	if (count > client->skip)
		count = client->skip;
	client->skip -= count;
	buffer_take(&client->in, count);
	if (client->skip)
		return false;
	client->state = CLIENT_LINE;
	client_reply(client, client->reply);
	return true;
}

/* Process one unit of input. Return: false if it is incomplete. */
static bool take(struct client *client)
{
	switch (client->state) {
	case CLIENT_LINE:
		return take_line(client);
	case CLIENT_BODY:
		return take_body(client);
	case CLIENT_SKIP:
		return skip(client);
	case CLIENT_SKIP_LINE:
		return skip_line(client);
	case CLIENT_HEADERS:
		return http_take(client);
	default:
		return false;
	}
}

void client_work(struct client *client, uint64_t end)
{
	bool enough = true;

	client->has_run = false;
	while (enough && buffer_count(&client->in) && client_can_run(client) &&
	       !queue_commit_is_full(client->server->queue) &&
	       clock_ns(CLOCK_MONOTONIC_COARSE) < end) {
		enough = take(client);
		client->has_run = true;
	}
	client->has_more = enough && buffer_count(&client->in);
}

void client_kill(struct client *client)
{
	worker_stop_waiting(&client->worker);
	client->is_dead = true;
	client_set_busy(client);
}

bool client_is_affected(const struct client *client)
{
	return !LIST_EMPTY(&client->worker.reserved) || buffer_count(&client->out);
}

/* Another server may have created tubes, so that the limit is reached. */
static struct tube *moved_tube(struct queue *to, const struct tube *tube)
{
	return queue_tube(to, tube->name) ?: queue_tube(to, "default");
}

void client_move(struct client *client, struct queue *from)
{
	struct queue *to = client->server->queue;
	bool waits = client->state == CLIENT_WAITS;
	struct watch *watch;

	timer_cancel(from->timers, &client->timer);
	worker_stop_waiting(&client->worker);
	client->used = moved_tube(to, client->used);
	client->used->users++;
	TAILQ_FOREACH(watch, &client->worker.watches, of_worker) {
		watch->tube = moved_tube(to, watch->tube);
		watch->tube->watchers++;
	}
	if (waits) {
		client->state = CLIENT_LINE;
		client_wait(client);
	}
	client_set_busy(client);
}

bool client_is_done(const struct client *client)
{
	if (client->is_dead)
		return true;
	return (client->has_ended || client->state == CLIENT_QUITS) &&
	       !buffer_count(&client->out);
}
