// SPDX-License-Identifier: MIT
/*
 * Statistics, in the format of beanstalkd.
 */
#include "requests.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Jobs per page of list-jobs. */
#define PAGE_MOST	1000

/* Send data, after its length. */
static void send_chunk(struct client *client, struct buffer *chunk)
{
	buffer_print(&client->out, "OK %zu\r\n", buffer_count(chunk));
	buffer_add(&client->out, buffer_bytes(chunk), buffer_count(chunk));
	client_reply(client, "\r\n");
	buffer_clear(chunk);
}

static void number(struct buffer *b, const char *name, uint64_t n)
{
	buffer_print(b, "%s: %llu\n", name, (unsigned long long)n);
}

static uint64_t delayed(const uint64_t *jobs)
{
	return jobs[JOB_DELAYED] + jobs[JOB_TIMED];
}

void stats_count_clients(const struct server *server,
			 struct stats_clients *clients)
{
	const struct client *client;

	*clients = (struct stats_clients){ 0 };
	TAILQ_FOREACH(client, &server->clients, all) {
		clients->producers += client->is_producer;
		clients->workers += client->is_worker;
		clients->waiting += client->worker.is_waiting;
	}
}

uint64_t stats_memory(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (statm && fscanf(statm, "%*u %lu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (uint64_t)pages * sysconf(_SC_PAGESIZE);
}

/* The number of times up to each bound. */
static void histogram(struct buffer *b, const char *name, const struct histogram *h)
{
	static const char *const bounds[] = { "100us", "1ms", "10ms", "100ms", "1s", "10s" };
	uint64_t count = 0;
	int at;

	for (at = 0; at < HISTOGRAM_BOUNDS; at++) {
		count += h->counts[at];
		buffer_print(b, "%s-within-%s: %llu\n", name, bounds[at],
			     (unsigned long long)count);
	}
	count += h->counts[at];
	buffer_print(b, "%s-count: %llu\n%s-sum: %.6f\n", name, (unsigned long long)count, name,
		     h->sum / 1e6);
}

static uint64_t count_urgent(const struct tubes *tubes)
{
	struct tube *tube;
	uint64_t urgent = 0;

	TAILQ_FOREACH(tube, &tubes->list, all)
		urgent += tube->urgent;
	return urgent;
}

static void jobs_of(struct buffer *b, const uint64_t *jobs, uint64_t urgent)
{
	number(b, "current-jobs-urgent", urgent);
	number(b, "current-jobs-ready", jobs[JOB_READY]);
	number(b, "current-jobs-reserved", jobs[JOB_RESERVED]);
	number(b, "current-jobs-delayed", delayed(jobs));
	number(b, "current-jobs-buried", jobs[JOB_BURIED]);
}

static void seconds(struct buffer *b, const char *name,
		    const struct timeval *time)
{
	buffer_print(b, "%s: %lld.%06lld\n", name, (long long)time->tv_sec,
		     (long long)time->tv_usec);
}

static void process(struct buffer *b, struct server *server)
{
	struct queue *queue = server->queue;
	struct utsname system;
	struct rusage used;

	uname(&system);
	getrusage(RUSAGE_SELF, &used);
	number(b, "pid", getpid());
	buffer_print(b, "version: \"wheelq %s\"\n", WHEELQ_VERSION);
	seconds(b, "rusage-utime", &used.ru_utime);
	seconds(b, "rusage-stime", &used.ru_stime);
	number(b, "uptime", (timers_now(queue->timers, CLOCK_QUEUE) -
			     server->started) / 1000);
	number(b, "binlog-oldest-index", 0);
	number(b, "binlog-current-index", 0);
	number(b, "binlog-records-migrated", 0);
	number(b, "binlog-records-written", queue->commits);
	number(b, "binlog-max-size", queue->options.bytes);
	buffer_print(b, "draining: %s\n",
		     server->is_draining ? "true" : "false");
	buffer_print(b, "id: %016llx\nhostname: \"%s\"\nos: \"%s\"\nplatform: \"%s\"\n",
		     (unsigned long long)server->id, system.nodename, system.version,
		     system.machine);
}

static void ours(struct buffer *b, struct server *server)
{
	const struct queue *queue = server->queue;

	number(b, "store-bytes", queue_bytes(queue));
	number(b, "store-commits", queue->commits);
	number(b, "store-damaged", queue->damaged);
	buffer_print(b, "store-full: %s\n",
		     queue_disk_is_full(queue) ? "true" : "false");
	buffer_print(b, "store-available: %s\n", queue->store->is_lost ? "false" : "true");
	number(b, "store-epoch", server->store->epoch);
	histogram(b, "commit", &queue->commit_time);
	histogram(b, "late", &queue->tubes.lateness);
	number(b, "resident-bytes", stats_memory());
	number(b, "jobs-in-memory", queue->cache.jobs.count);
	buffer_print(b, "wheel: \"%s\"\n", timers_backend(queue->timers));
}

static void stats(struct client *client)
{
	struct server *server = client->server;
	struct queue *queue = server->queue;
	struct stats_clients clients;
	struct buffer b = { 0 };
	int verb;

	buffer_print(&b, "---\n");
	jobs_of(&b, queue->tubes.jobs, count_urgent(&queue->tubes));
	for (verb = 0; verb < VERB_QUIT; verb++)
		buffer_print(&b, "cmd-%s: %llu\n", verb_name(verb),
			     (unsigned long long)server->verbs[verb]);
	number(&b, "job-timeouts", queue->timeouts);
	number(&b, "total-jobs", queue->total);
	number(&b, "max-job-size", server->options.body);
	number(&b, "current-tubes", queue->tubes.count);
	stats_count_clients(server, &clients);
	number(&b, "current-connections", server->connected);
	number(&b, "current-producers", clients.producers);
	number(&b, "current-workers", clients.workers);
	number(&b, "current-waiting", clients.waiting);
	number(&b, "total-connections", server->connections);
	process(&b, server);
	ours(&b, server);
	send_chunk(client, &b);
}

/* As in beanstalkd 1.12, the result is below the full time even right after the start. */
static uint64_t seconds_left(uint64_t ms)
{
	return ms ? (ms - 1) / 1000 : 0;
}

static void stats_job(struct client *client, uint64_t id)
{
	struct queue *queue = client->server->queue;
	uint64_t now = timers_now(queue->timers, CLOCK_QUEUE);
	struct buffer b = { 0 };
	struct job_record rec;
	struct tube *tube;

	if (!queue_peek(queue, id, &rec)) {
		client_reply(client, "NOT_FOUND\r\n");
		return;
	}
	tube = tube_numbered(&queue->tubes, rec.tube);
	buffer_print(&b, "---\nid: %llu\ntube: \"%s\"\nstate: %s\n",
		     (unsigned long long)rec.id, tube->name, job_state_name(rec.state));
	number(&b, "pri", rec.pri);
	/* The queue's clock may be behind after a crash if the wall clock was set back. */
	number(&b, "age", now > rec.created ? (now - rec.created) / 1000 : 0);
	number(&b, "delay", rec.delay / 1000);
	number(&b, "ttr", rec.ttr / 1000);
	number(&b, "time-left", seconds_left(queue_time_left(queue, &rec)));
	number(&b, "file", 0);
	number(&b, "reserves", rec.reserves);
	number(&b, "timeouts", rec.timeouts);
	number(&b, "releases", rec.releases);
	number(&b, "buries", rec.buries);
	number(&b, "kicks", rec.kicks);
	send_chunk(client, &b);
}

static void stats_tube(struct client *client, const char *name)
{
	const struct server_options *o = &client->server->options;
	struct queue *queue = client->server->queue;
	struct tube *tube = tube_find(&queue->tubes, name);
	uint64_t now = timers_now_ceil(queue->timers, CLOCK_QUEUE), left = 0;
	struct buffer b = { 0 };

	if (!tube) {
		client_reply(client, "NOT_FOUND\r\n");
		return;
	}
	if (tube->paused_until > now)
		left = tube->paused_until - now;
	buffer_print(&b, "---\nname: \"%s\"\n", tube->name);
	if (o->shard)
		buffer_print(&b, "shard: %u\naddress: \"%s\"\nport: %s\n",
			     o->shard->number, o->address, o->port);
	jobs_of(&b, tube->jobs, tube->urgent);
	number(&b, "total-jobs", tube->total);
	number(&b, "current-using", tube->users);
	number(&b, "current-watching", tube->watchers);
	number(&b, "current-waiting", tube->waiters);
	number(&b, "cmd-delete", tube->deletes);
	number(&b, "cmd-pause-tube", tube->pauses);
	number(&b, "pause", left ? tube->pause / 1000 : 0);
	number(&b, "pause-time-left", seconds_left(left));
	buffer_print(&b, "ready-age: %.3f\n", (now - tube_oldest_due(tube, now)) / 1e3);
	histogram(&b, "late", &tube->lateness);
	if (tube->max_reserved)
		number(&b, "limit-reserved", tube->max_reserved);
	if (tube->max_rate)
		buffer_print(&b, "limit-rate: %llu.%03llu\n",
			     (unsigned long long)tube->max_rate / 1000,
			     (unsigned long long)tube->max_rate % 1000);
	send_chunk(client, &b);
}

static void list_tubes(struct client *client)
{
	struct buffer b = { 0 };
	struct tube *tube;

	buffer_print(&b, "---\n");
	TAILQ_FOREACH(tube, &client->server->queue->tubes.list, all)
		buffer_print(&b, "- %s\n", tube->name);
	send_chunk(client, &b);
}

/* The next page begins at "next", 0 after the last job. */
static void list_jobs(struct client *client, const struct command *command)
{
	const uint64_t *from = command->cursor;
	struct queue_cursor cursor = { from[0], { from[1], from[2], from[3] } };
	struct job_record recs[PAGE_MOST];
	struct buffer b = { 0 };
	size_t count, i;

	count = queue_list(client->server->queue, client->used, command->state, &cursor, recs,
			   command->bound < PAGE_MOST ? command->bound : PAGE_MOST);
	buffer_print(&b, "---\nnext: %u", cursor.stored);
	if (cursor.stored)
		buffer_print(&b, ".%llu.%llu.%llu", (unsigned long long)cursor.key.rank,
			     (unsigned long long)cursor.key.due,
			     (unsigned long long)cursor.key.id);
	buffer_print(&b, "\njobs:\n");
	for (i = 0; i < count; i++)
		buffer_print(&b, "- %llu\n", (unsigned long long)recs[i].id);
	send_chunk(client, &b);
}

static void list_watched(struct client *client)
{
	struct buffer b = { 0 };
	struct watch *watch;

	buffer_print(&b, "---\n");
	TAILQ_FOREACH(watch, &client->worker.watches, of_worker)
		buffer_print(&b, "- %s\n", watch->tube->name);
	send_chunk(client, &b);
}

void stats_run(struct client *client, const struct command *command)
{
	switch (command->verb) {
	case VERB_STATS:
		stats(client);
		break;
	case VERB_STATS_JOB:
		stats_job(client, command->id);
		break;
	case VERB_STATS_TUBE:
		stats_tube(client, command->name);
		break;
	case VERB_LIST_JOBS:
		list_jobs(client, command);
		break;
	case VERB_LIST_TUBES:
		list_tubes(client);
		break;
	case VERB_LIST_TUBES_WATCHED:
		list_watched(client);
		break;
	default:
		buffer_print(&client->out, "USING %s\r\n", client->used->name);
		client_reply(client, "");
	}
}
