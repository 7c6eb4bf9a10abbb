// SPDX-License-Identifier: MIT
/*
 * The first process of a server with shards. It owns no jobs: if it is wrong about the other
 * servers, a process waits for the lock of a shard, or a shard waits for a process.
 *
 *	wheelq.shard	one row per shard, with the server that last took it over
 *	wheelq_N	the schema with the store of shard N
 *
 * The session of the first process shares an advisory lock with those of the other servers, which
 * PostgreSQL releases if the server ends.
 */
#include "shards.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "notify.h"
#include "postgres.h"
#include "server.h"

/* Interval at which the first process reads who holds the shards, in ms. */
#define INTERVAL_MS	100
/*
 * Time after which a process that fails is started again, in ms. The processes of other servers
 * also have this time to connect again after PostgreSQL was unavailable.
 */
#define RESTART_MS	2000
/* A process that has not taken a free shard in this time is stuck, in ms. */
#define STUCK_MS	6000
#define SQL_MOST	2048
/* In SQL: the object of the lock that all servers share. */
#define SERVER_LOCK	"hashtext('wheelq')"

/**
 * struct part - a shard, as one server sees it
 * @store: what its process serves
 * @pid: its process, or 0
 * @not_before: ms; the process may be started from then on
 * @route: the process that holds it, as the proxy was last told
 * @is_ours: true if a process of this server holds its lock
 * @free_since: ms; no process has held it since then, 0: one holds it
 */
struct part {
	struct store_shard store;
	pid_t pid;
	uint64_t not_before;
	struct shards_route route;
	bool is_ours;
	uint64_t free_since;
};

/**
 * struct shards - a server
 * @options: its configuration
 * @db: its own session
 * @proxy: the process of the proxy
 * @listener: accepts connections, in the proxy
 * @http: the same for HTTP alone; its descriptor is -1 without one
 * @routes_fd: where the proxy reads routes
 * @signals: the signals that it handles
 * @share: number of shards that it should hold
 * @rank: its position among the servers
 * @is_draining: true if processes reject puts
 * @parts: the shards
 */
struct shards {
	const struct server_options *options;
	PGconn *db;
	pid_t proxy;
	struct listener listener;
	struct listener http;
	int routes_fd;
	sigset_t signals;
	uint32_t share;
	uint32_t rank;
	bool is_draining;
	struct part parts[SHARDS_MOST];
};

/*
 * The result of the last statement, or NULL if one failed. The caller clears it. If PostgreSQL does
 * not respond, the session is closed.
 */
static PGresult *query(struct shards *s, const char *sql)
{
	struct pollfd fd = { .fd = PQsocket(s->db), .events = POLLIN };
	PGresult *last = NULL, *result = NULL;

	PQsendQuery(s->db, sql);
	do {
		while (PQisBusy(s->db)) {
			if (!poll(&fd, 1, POSTGRES_LEASE_MS)) {
				PQfinish(s->db);
				s->db = NULL;
				PQclear(last);
				return NULL;
			}
			PQconsumeInput(s->db);
		}
		PQclear(last);
		last = result;
		result = PQgetResult(s->db);
	} while (result);
	if (PQresultStatus(last) == PGRES_TUPLES_OK || PQresultStatus(last) == PGRES_COMMAND_OK)
		return last;
	PQclear(last);
	return NULL;
}

static void must(struct shards *s, const char *sql)
{
	PGresult *result = query(s, sql);

	if (!result)
		fail(EXIT_FAILED, "cannot open the store: %.*s",
		     (int)strcspn(PQerrorMessage(s->db), "\n"), PQerrorMessage(s->db));
	PQclear(result);
}

static long number_at(const PGresult *result, int row, int column)
{
	return strtol(PQgetvalue(result, row, column), NULL, 10);
}

/* Create the schemas, unless another server has. All servers must agree on the number of shards. */
static void create_schemas(struct shards *s)
{
	static const char tables[] =
		"BEGIN; SELECT pg_advisory_xact_lock(" POSTGRES_LOCK_CLASS ", 0);"
		"CREATE SCHEMA IF NOT EXISTS wheelq;"
		"CREATE TABLE IF NOT EXISTS wheelq.shard(number bigint PRIMARY KEY,\n"
		"  address text, port bigint)";
	char sql[SQL_MOST];
	PGresult *result;
	unsigned int i;

	result = query(s, "SELECT to_regclass('wheelq_store')");
	if (result && !PQgetisnull(result, 0, 0))
		fail(EXIT_USAGE,
		     "PostgreSQL %s: it has a store without shards; use another database",
		     PQdb(s->db));
	PQclear(result);
	must(s, tables);
	snprintf(sql, sizeof(sql),
		 "INSERT INTO wheelq.shard SELECT generate_series(0, %u - 1)\n"
		 "WHERE NOT EXISTS (SELECT FROM wheelq.shard)", s->options->shards);
	must(s, sql);
	result = query(s, "SELECT count(*) FROM wheelq.shard");
	if (result && number_at(result, 0, 0) != s->options->shards)
		fail(EXIT_USAGE, "PostgreSQL %s: it has %ld shards, not %u", PQdb(s->db),
		     number_at(result, 0, 0), s->options->shards);
	PQclear(result);
	for (i = 0; i < s->options->shards; i++) {
		snprintf(sql, sizeof(sql), "CREATE SCHEMA IF NOT EXISTS wheelq_%u", i);
		must(s, sql);
	}
	must(s, "COMMIT");
}

/* From now on, the other servers leave a part of the shards to this one. */
static void join_servers(struct shards *s)
{
	PQclear(query(s, "SELECT pg_advisory_lock_shared("
		      POSTGRES_LOCK_CLASS ", " SERVER_LOCK ")"));
}

/* In a new process: it ends with the first one, and handles signals as without shards. */
static void begin_process(struct shards *s, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	close(PQsocket(s->db));
	unsetenv("NOTIFY_SOCKET");
	sigdelset(&s->signals, SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &s->signals, NULL);
}

static pid_t fork_process(struct shards *s)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		fail(EXIT_FAILED, "fork: %s", strerror(errno));
	if (!pid)
		begin_process(s, parent);
	return pid;
}

static void start_proxy(struct shards *s)
{
	int ends[2];

	if (pipe(ends))
		fail(EXIT_FAILED, "pipe: %s", strerror(errno));
	s->routes_fd = ends[1];
	s->proxy = fork_process(s);
	if (s->proxy) {
		close(ends[0]);
		return;
	}
	close(ends[1]);
	proxy_serve(s->options, &s->listener, &s->http, ends[0]);
}

static void start_part(struct shards *s, struct part *part)
{
	struct server_options options = *s->options;
	char port[8];

	part->free_since = clock_ms();
	part->pid = fork_process(s);
	if (part->pid) {
		if (s->is_draining)
			kill(part->pid, SIGUSR1);
		return;
	}
	close(s->routes_fd);
	listener_close(&s->listener);
	snprintf(port, sizeof(port), "%lu",
		 strtoul(options.port, NULL, 10) + 1 + part->store.number);
	options.port = port;
	options.http_port = NULL;
	options.shard = &part->store;
	serve(&options);
	exit(0);
}

/* Tell the proxy which process holds a shard, if that has changed. */
static void send_route(struct shards *s, struct part *part, const char *address, long port)
{
	struct shards_route route = { .shard = part->store.number };
	struct in_addr four;

	if (port) {
		route.address.sin6_family = AF_INET6;
		route.address.sin6_port = htons(port + 1 + part->store.number);
		/* An IPv4 address is mapped to IPv6. */
		if (inet_pton(AF_INET, address, &four) == 1) {
			memset(&route.address.sin6_addr.s6_addr[10], 0xff, 2);
			memcpy(&route.address.sin6_addr.s6_addr[12], &four, sizeof(four));
		} else {
			inet_pton(AF_INET6, address, &route.address.sin6_addr);
		}
	}
	if (!memcmp(&route, &part->route, sizeof(route)))
		return;
	part->route = route;
	if (write(s->routes_fd, &route, sizeof(route)) != sizeof(route))
		fail(EXIT_FAILED, "the proxy has ended");
}

/* End silent sessions, and read which servers hold the shards. Return: false if it failed. */
static bool read_shards(struct shards *s)
{
	const struct server_options *o = s->options;
	char sql[SQL_MOST], name[64];
	uint64_t now = clock_ms();
	PGresult *result;
	int row;

	snprintf(name, sizeof(name), SHARDS_NAME, o->address, o->port);
	snprintf(sql, sizeof(sql),
		 POSTGRES_END_SILENT ";"
		 "WITH holder AS (SELECT pid, objid, application_name, backend_start\n"
		 "  FROM " POSTGRES_HOLDERS "),\n"
		 "server AS (SELECT pid, row_number() OVER (ORDER BY backend_start, pid) - 1 AS rank,\n"
		 "  count(*) OVER () AS n FROM holder WHERE objid = " SERVER_LOCK "::oid)\n"
		 "SELECT address, port, rank, %u / n + (rank < %u %% n)::int,\n"
		 "  (SELECT application_name FROM holder\n"
		 "   WHERE objid = hashtext('wheelq_' || number)::oid)\n"
		 "FROM wheelq.shard, server WHERE pid = pg_backend_pid() ORDER BY number",
		 o->shards, o->shards);
	result = query(s, sql);
	if (!result || PQntuples(result) != (int)o->shards) {
		PQclear(result);
		return false;
	}
	s->rank = number_at(result, 0, 2);
	s->share = number_at(result, 0, 3);
	for (row = 0; row < (int)o->shards; row++) {
		struct part *part = &s->parts[row];

		part->is_ours = !strcmp(PQgetvalue(result, row, 4), name);
		if (!PQgetisnull(result, row, 4))
			part->free_since = 0;
		else if (!part->free_since)
			part->free_since = now;
		send_route(s, part, PQgetvalue(result, row, 0), number_at(result, row, 1));
	}
	PQclear(result);
	return true;
}

/* End the processes that this server does not need. Return the number of all others. */
static uint32_t end_some(struct shards *s)
{
	uint64_t now = clock_ms();
	uint32_t i, count = 0, held = 0;
	struct part *last = NULL;

	for (i = 0; i < s->options->shards; i++) {
		struct part *part = &s->parts[i];

		if (!part->pid)
			continue;
		count++;
		/* Another server was faster, or has taken over, or the process is stuck. */
		if (part->free_since ? now - part->free_since > STUCK_MS : !part->is_ours)
			kill(part->pid, SIGKILL);
		if (!part->is_ours)
			continue;
		held++;
		last = part;
	}
	if (held > s->share)
		kill(last->pid, SIGTERM);
	return count;
}

/* Each server begins with another shard, so that several servers seldom choose the same. */
static void start_some(struct shards *s, uint32_t count)
{
	uint64_t now = clock_ms();
	uint32_t i, shards = s->options->shards;

	for (i = 0; i < shards; i++) {
		struct part *part = &s->parts[(i + s->rank * s->share) % shards];

		if (part->pid || !part->free_since || now < part->not_before || count >= s->share)
			continue;
		start_part(s, part);
		count++;
	}
}

/* The processes of other servers may need some time to connect again. */
static void leave_time(struct shards *s)
{
	uint32_t i;

	for (i = 0; i < s->options->shards; i++)
		s->parts[i].not_before = clock_ms() + RESTART_MS;
}

static void wait_for_processes(struct shards *s, int flags)
{
	uint64_t now = clock_ms();
	int status;
	uint32_t i;
	pid_t pid;

	while ((pid = waitpid(-1, &status, flags)) > 0) {
		if (pid == s->proxy && flags)
			fail(EXIT_FAILED, "the proxy has ended with status %d", status);
		for (i = 0; i < s->options->shards; i++) {
			if (s->parts[i].pid != pid)
				continue;
			s->parts[i].pid = 0;
			s->parts[i].not_before = WIFEXITED(status) && status ?
				now + RESTART_MS : now;
		}
	}
}

static void signal_all(struct shards *s, int number)
{
	uint32_t i;

	for (i = 0; i < s->options->shards; i++)
		if (s->parts[i].pid)
			kill(s->parts[i].pid, number);
}

/* End all processes. The other servers take over at once. */
__attribute__((noreturn))
static void finish(struct shards *s)
{
	notify("STOPPING=1");
	signal_all(s, SIGTERM);
	kill(s->proxy, SIGTERM);
	wait_for_processes(s, 0);
	PQfinish(s->db);
	exit(0);
}

static void take_signal(struct shards *s, int number)
{
	if (number == SIGTERM || number == SIGINT)
		finish(s);
	if (number != SIGUSR1)
		return;
	s->is_draining = true;
	signal_all(s, SIGUSR1);
}

void shards_serve(const struct server_options *options)
{
	const struct timespec interval = { .tv_nsec = INTERVAL_MS * 1000000 };
	struct shards s = { .options = options };
	uint32_t i;

	for (i = 0; i < options->shards; i++)
		s.parts[i] = (struct part){
			.store = { i, ((uint64_t)i << SHARDS_ID_BITS) + 1, options->address,
				   options->port },
			.route = { .shard = i },
		};
	sigemptyset(&s.signals);
	sigaddset(&s.signals, SIGTERM);
	sigaddset(&s.signals, SIGINT);
	sigaddset(&s.signals, SIGUSR1);
	sigaddset(&s.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &s.signals, NULL);
	s.db = postgres_connect(options->path);
	create_schemas(&s);
	join_servers(&s);
	listener_open(&s.listener, options->address, options->port);
	listener_listen(&s.listener);
	s.http.fd = -1;
	if (options->http_port) {
		listener_open(&s.http, options->address, options->http_port);
		listener_listen(&s.http);
	}
	start_proxy(&s);
	printf("wheelq: serves shards on %s\n", s.listener.name);
	fflush(stdout);
	notify("READY=1\nSTATUS=serving");
	while (true) {
		/* The other processes detect themselves that PostgreSQL is unavailable. */
		if (PQstatus(s.db) != CONNECTION_OK) {
			PQfinish(s.db);
			s.db = postgres_connect(options->path);
			join_servers(&s);
			leave_time(&s);
		}
		if (read_shards(&s))
			start_some(&s, end_some(&s));
		take_signal(&s, sigtimedwait(&s.signals, NULL, &interval));
		wait_for_processes(&s, WNOHANG);
	}
}
