// SPDX-License-Identifier: MIT
/*
 * The commands of the protocol.
 */
#include "requests.h"

#include <string.h>

#include "link.h"

/* beanstalkd has no such limit, so no client expects a response of its own. */
#define TOO_MANY_TUBES	"TOO_MANY_TUBES\r\n"

static struct queue *queue_of(struct client *client)
{
	return client->server->queue;
}

static void reply(struct client *client, bool done, const char *text)
{
	client_reply(client, done ? text : "NOT_FOUND\r\n");
}

static void put(struct client *client, const struct command *command)
{
	client->is_producer = true;
	client->put = *command;
	if (command->verb == VERB_PUT_KEY)
		memcpy(client->key, command->name, strlen(command->name) + 1);
	client->state = CLIENT_BODY;
	if (command->bytes > client->server->options.body)
		client_skip_body(client, "JOB_TOO_BIG\r\n");
}

void command_put(struct client *client, const char *body)
{
	const struct command *command = &client->put;
	struct queue_job job = {
		.pri = command->pri, .ttr = command->ttr,
		.size = command->bytes,
		.is_timed = command->verb == VERB_PUT_AT,
		.key = command->verb == VERB_PUT_KEY ? client->key : NULL,
		.most = command->most,
	};
	uint64_t id;

	if (client->server->is_draining) {
		client_reply(client, "DRAINING\r\n");
		return;
	}
	job.when = job.is_timed ? command->at : command->delay;
	id = queue_put(queue_of(client), client->used, &job, body);
	if (!id) {
		client_reply(client, "OUT_OF_MEMORY\r\n");
		return;
	}
	buffer_print(&client->out, "%s %llu\r\n",
		     job.has_replaced ? "REPLACED" : "INSERTED",
		     (unsigned long long)id);
	client_reply(client, "");
}

static void reserve(struct client *client, const struct command *command)
{
	struct queue *queue = queue_of(client);
	struct job *job;

	client->is_worker = true;
	client->give_up = UINT64_MAX;
	if (command->verb == VERB_RESERVE_WITH_TIMEOUT)
		client->give_up = command->delay ?
			timers_now_ceil(queue->timers, CLOCK_QUEUE) + command->delay : 0;
	while ((job = queue_reserve(queue, &client->worker)))
		if (client_send_reserved(client, job))
			return;
	client_wait(client);
}

static void reserve_job(struct client *client, const struct command *command)
{
	struct job *job = queue_reserve_id(queue_of(client), &client->worker,
					   command->id);

	if (!job)
		client_reply(client, "NOT_FOUND\r\n");
	else if (!client_send_reserved(client, job))
		client_reply(client, "INTERNAL_ERROR\r\n");
}

/* The id of the command, or of the job with its key. */
static uint64_t id_of(struct client *client, const struct command *command)
{
	return command->name ?
		queue_find_key(queue_of(client), client->used, command->name) : command->id;
}

static void peek(struct client *client, const struct command *command)
{
	struct queue *queue = queue_of(client);
	struct job_record rec, timed;
	bool found;

	switch (command->verb) {
	case VERB_PEEK:
	case VERB_PEEK_KEY:
		found = queue_peek(queue, id_of(client, command), &rec);
		break;
	case VERB_PEEK_READY:
		found = queue_peek_first(queue, client->used, JOB_READY, &rec);
		break;
	case VERB_PEEK_BURIED:
		found = queue_peek_first(queue, client->used, JOB_BURIED, &rec);
		break;
	default:
		found = queue_peek_first(queue, client->used, JOB_DELAYED, &rec);
		if (!queue_peek_first(queue, client->used, JOB_TIMED, &timed))
			break;
		if (!found || queue_time_left(queue, &timed) <
			      queue_time_left(queue, &rec))
			rec = timed;
		found = true;
	}
	if (found)
		client_send_job(client, "FOUND", &rec);
	else
		client_reply(client, "NOT_FOUND\r\n");
}

static void use(struct client *client, const struct command *command)
{
	struct tube *tube = queue_tube(queue_of(client), command->name);

	if (!tube) {
		client_reply(client, TOO_MANY_TUBES);
		return;
	}
	tube->users++;
	client->used->users--;
	tube_drop(client->used);
	client->used = tube;
	buffer_print(&client->out, "USING %s\r\n", tube->name);
	client_reply(client, "");
}

static void watch(struct client *client, const struct command *command)
{
	struct tube *tube = queue_tube(queue_of(client), command->name);

	if (!tube) {
		client_reply(client, TOO_MANY_TUBES);
		return;
	}
	worker_watch(&client->worker, tube);
	buffer_print(&client->out, "WATCHING %u\r\n", client->worker.watching);
	client_reply(client, "");
}

static void ignore(struct client *client, const struct command *command)
{
	struct tube *tube = tube_find(&queue_of(client)->tubes, command->name);
	struct worker *worker = &client->worker;
	struct watch *only = TAILQ_FIRST(&worker->watches);

	if (worker->watching == 1 && only->tube == tube) {
		client_reply(client, "NOT_IGNORED\r\n");
		return;
	}
	if (tube)
		worker_ignore(worker, tube);
	buffer_print(&client->out, "WATCHING %u\r\n", worker->watching);
	client_reply(client, "");
}

static void kick(struct client *client, const struct command *command)
{
	uint64_t kicked = queue_kick(queue_of(client), client->used,
				     command->bound);

	buffer_print(&client->out, "KICKED %llu\r\n",
		     (unsigned long long)kicked);
	client_reply(client, "");
}

static void clear_jobs(struct client *client, const struct command *command)
{
	uint64_t cleared = queue_clear(queue_of(client), client->used,
				       command->state, command->bound);

	buffer_print(&client->out, "CLEARED %llu\r\n",
		     (unsigned long long)cleared);
	client_reply(client, "");
}

static void pause_tube(struct client *client, const struct command *command)
{
	struct queue *queue = queue_of(client);
	struct tube *tube = tube_find(&queue->tubes, command->name);

	if (!timers_have_room(queue->timers, CLOCK_QUEUE)) {
		client_reply(client, "OUT_OF_MEMORY\r\n");
		return;
	}
	reply(client, tube, "PAUSED\r\n");
	if (tube)
		queue_pause(queue, tube, command->delay);
}

/* The rate is parsed as a delay: it may have a fraction. */
static void limit_tube(struct client *client, const struct command *command)
{
	struct tube *tube = queue_tube(queue_of(client), command->name);

	client_reply(client, tube ? "LIMITED\r\n" : TOO_MANY_TUBES);
	if (tube)
		queue_limit(queue_of(client), tube, command->bound, command->delay);
}

static void run_on_job(struct client *client, const struct command *command)
{
	struct queue *queue = queue_of(client);
	struct worker *worker = &client->worker;

	switch (command->verb) {
	case VERB_DELETE:
	case VERB_DELETE_KEY:
		reply(client, queue_delete(queue, worker, id_of(client, command)),
		      "DELETED\r\n");
		break;
	case VERB_RELEASE:
		reply(client, queue_release(queue, worker, command->id,
					    command->pri, command->delay),
		       "RELEASED\r\n");
		break;
	case VERB_BURY:
		reply(client, queue_bury(queue, worker, command->id,
					 command->pri), "BURIED\r\n");
		break;
	case VERB_TOUCH:
		reply(client, queue_touch(queue, worker, command->id),
		      "TOUCHED\r\n");
		break;
	default:
		reply(client, queue_kick_job(queue, command->id),
		      "KICKED\r\n");
	}
}

static void reject(struct client *client, const struct command *command, const char *text)
{
	client->put = *command;
	if (command->verb <= VERB_PUT_KEY)
		client_skip_body(client, text);
	else
		client_reply(client, text);
}

/* A client that has connected to this process itself may use a tube of another one. */
static bool is_of_another_shard(struct client *client, const struct command *command)
{
	const struct server_options *o = &client->server->options;
	const char *tube = command_tube(command, client->used->name);

	return o->shard && tube && shard_of_tube(tube, o->shards) != o->shard->number;
}

static void quit(struct client *client, const struct command *command)
{
	(void)command;
	client->state = CLIENT_QUITS;
}

static void (*const runs[VERB_COUNT])(struct client *client, const struct command *command) = {
	[VERB_PUT ... VERB_PUT_KEY] = put,
	[VERB_PEEK ... VERB_PEEK_KEY] = peek,
	[VERB_RESERVE ... VERB_RESERVE_WITH_TIMEOUT] = reserve,
	[VERB_RESERVE_JOB] = reserve_job,
	[VERB_DELETE ... VERB_TOUCH] = run_on_job,
	[VERB_USE] = use,
	[VERB_WATCH] = watch,
	[VERB_IGNORE] = ignore,
	[VERB_KICK] = kick,
	[VERB_KICK_JOB] = run_on_job,
	[VERB_CLEAR_JOBS] = clear_jobs,
	[VERB_STATS ... VERB_LIST_TUBES_WATCHED] = stats_run,
	[VERB_PAUSE_TUBE] = pause_tube,
	[VERB_LIMIT_TUBE] = limit_tube,
	[VERB_QUIT] = quit,
};

static void run(struct client *client, const struct command *command)
{
	client->server->verbs[command->verb]++;
	/* While the store is lost, workers wait. */
	if (queue_of(client)->store->is_lost && !verb_has(command->verb, IF_LOST))
		reject(client, command, "OUT_OF_MEMORY\r\n");
	else if (is_of_another_shard(client, command))
		reject(client, command, "OTHER_SHARD\r\n");
	else
		runs[command->verb](client, command);
}

void command_run(struct client *client, char *line, size_t length)
{
	struct command command;
	const char *error;

	if (http_is_request(line)) {
		http_begin(client, line);
		return;
	}
	if (client->is_http) {
		client->state = CLIENT_QUITS;
		return;
	}
	error = beanstalk_parse(&command, line, length);
	if (error)
		client_reply(client, error);
	else
		run(client, &command);
}
