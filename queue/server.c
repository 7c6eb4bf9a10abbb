// SPDX-License-Identifier: MIT
/*
 * The event loop. Each iteration runs the commands that all connections have sent, makes one
 * commit, and only then sends the responses.
 */
#include "server.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "notify.h"

#define EVENTS		512
/* Limit on the number of expired timers per iteration. */
#define TIMER_BUDGET	4096
/* Limit on the number of accepted connections per iteration. */
#define ACCEPT_BUDGET	64
/* Time in which commands run in one iteration, in ns. */
#define COMMANDS_NS	(10 * NS_PER_MS)

static void watch_fd(struct server *server, int fd, void *mark)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = mark };

	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event))
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
}

/* Return a descriptor that is readable when the wall clock was set. */
static int open_clock(void)
{
	struct itimerspec never = {
		.it_value.tv_sec = (time_t)(INT64_MAX / 2000000000),
	};
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, TFD_TIMER_ABSTIME |
				      TFD_TIMER_CANCEL_ON_SET, &never, NULL))
		fail(EXIT_FAILED, "timerfd: %s", strerror(errno));
	return fd;
}

/* On standby, the other signals end the server, as by default. */
static void block_drain_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Open a file, or the URI of a database. */
static struct store *store_open(const struct server_options *options, int http_fd)
{
	if (options_name_a_database(options))
		return postgres_open(options->path, http_fd, options->shard);
	return sqlite_open(options->path);
}

static void use_queue(struct server *server, struct queue *queue)
{
	int clock;

	server->queue = queue;
	queue_tube(queue, "default")->stays = true;
	for (clock = 0; clock < CLOCKS; clock++)
		watch_fd(server, timers_fd(queue->timers, clock), &server->has_expired[clock]);
}

static void server_open(struct server *server, const struct server_options *options)
{
	struct queue *queue = zeroed(1, sizeof(*queue));

	*server = (struct server){ .options = *options, .has_more = true };
	TAILQ_INIT(&server->clients);
	TAILQ_INIT(&server->busy);
	TAILQ_INIT(&server->served);
	if (getrandom(&server->id, sizeof(server->id), 0) < 0)
		server->id = getpid();
	block_drain_signal();
	listener_open(&server->listener, options->address, options->port);
	server->http.fd = -1;
	if (options->http_port) {
		listener_open(&server->http, options->address, options->http_port);
		listener_listen(&server->http);
	}
	/* This may wait for another server to end. Until then, connections are rejected. */
	server->store = store_open(options, server->http.fd);
	queue_open(queue, server->store, &options->queue);
	listener_listen(&server->listener);
	server->signal_fd = open_signals();
	server->clock_fd = open_clock();
	server->reopen_fd = eventfd(0, EFD_CLOEXEC);
	server->started = timers_now(queue->timers, CLOCK_QUEUE);
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0)
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
	watch_fd(server, server->listener.fd, &server->listener);
	if (options->http_port)
		watch_fd(server, server->http.fd, &server->http);
	watch_fd(server, server->signal_fd, &server->signal_fd);
	watch_fd(server, server->clock_fd, &server->clock_fd);
	watch_fd(server, server->reopen_fd, &server->reopen_fd);
	use_queue(server, queue);
}

/* Return: false if no connection is pending. */
static bool accept_one(struct server *server, struct listener *listener)
{
	const struct server_options *o = &server->options;
	int fd = listener_accept(listener);
	struct client *client;

	if (fd < 0)
		return false;
	if (server->connected >= o->connections) {
		listener_refuse(fd, "OUT_OF_MEMORY\r\n");
		return true;
	}
	if (o->user_count && !listener_is_user(fd, o->users, o->user_count)) {
		listener_refuse(fd, "DENIED\r\n");
		return true;
	}
	client = client_open(server, fd);
	client->is_http = listener == &server->http;
	client->events = EPOLLIN;
	TAILQ_INSERT_TAIL(&server->clients, client, all);
	server->connected++;
	server->connections++;
	watch_fd(server, fd, client);
	return true;
}

static void accept_some(struct server *server, struct listener *listener)
{
	int left = ACCEPT_BUDGET;

	while (left && accept_one(server, listener))
		left--;
}

static void take_signal(struct server *server)
{
	struct signalfd_siginfo info;

	while (read(server->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			server->is_draining = true;
		else
			server->is_ending = true;
	}
}

/* A read returns ECANCELED if the clock was set, and rearms the descriptor. */
static void clock_was_set(struct server *server)
{
	uint64_t times;

	if (read(server->clock_fd, &times, sizeof(times)) < 0 &&
	    errno == ECANCELED)
		queue_clock_was_set(server->queue);
}

static void take_client_event(struct client *client, uint32_t events)
{
	/* A closed Unix socket may still have input. */
	if (events & EPOLLERR ||
	    (events & EPOLLHUP && !client_can_run(client)))
		client_kill(client);
	else if (client->state == CLIENT_WAITS && events & EPOLLRDHUP)
		client_stop_waiting(client);
	else if (client->state != CLIENT_WAITS && events & EPOLLIN &&
		 !client->has_more)
		client_read(client);
	client_set_busy(client);
}

static bool is_timer_fd(const struct server *server, const void *mark)
{
	return mark == &server->has_expired[CLOCK_QUEUE] ||
	       mark == &server->has_expired[CLOCK_WALL];
}

static void take_event(struct server *server, const struct epoll_event *event)
{
	if (event->data.ptr == &server->listener || event->data.ptr == &server->http)
		accept_some(server, event->data.ptr);
	else if (event->data.ptr == &server->signal_fd)
		take_signal(server);
	else if (event->data.ptr == &server->clock_fd)
		clock_was_set(server);
	else if (event->data.ptr == &server->reopen_fd)
		server->is_reopened = true;
	else if (is_timer_fd(server, event->data.ptr))
		*(bool *)event->data.ptr = true;
	else
		take_client_event(event->data.ptr, event->events);
}

static void process_queue(struct server *server)
{
	struct worker *worker;
	struct job *job;

	while ((worker = queue_process(server->queue, &job)))
		client_send_waited(container_of(worker, struct client, worker), job);
}

static void end_client(struct client *client)
{
	struct server *server = client->server;

	TAILQ_REMOVE(&server->clients, client, all);
	server->connected--;
	client_close(client);
}

static void set_events(struct client *client)
{
	struct epoll_event event = { .data.ptr = client };

	if (client->has_ended)
		event.events = 0;
	else if (client->state == CLIENT_WAITS)
		event.events = EPOLLRDHUP;
	else if (client_can_run(client) && !client->has_more)
		event.events = EPOLLIN;
	if (buffer_count(&client->out))
		event.events |= EPOLLOUT;
	if (event.events == client->events)
		return;
	client->events = event.events;
	if (epoll_ctl(client->server->epoll, EPOLL_CTL_MOD, client->fd, &event))
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
}

/* Its next command runs after those of connections that have not run one in this iteration. */
static void run_again(struct client *client)
{
	struct server *server = client->server;

	TAILQ_INSERT_TAIL(client->has_run ? &server->served : &server->busy, client, busy);
	client->is_busy = true;
}

/* Send responses after the commit. Return: true if there is more to do. */
static bool finish_turn(struct server *server)
{
	struct client_list busy = TAILQ_HEAD_INITIALIZER(busy);
	struct client *client;

	TAILQ_CONCAT(&busy, &server->busy, busy);
	while ((client = TAILQ_FIRST(&busy))) {
		TAILQ_REMOVE(&busy, client, busy);
		client->is_busy = false;
		client_write(client);
		if (client_can_run(client) && client->has_more)
			run_again(client);
		else if (client_is_done(client))
			end_client(client);
		else
			set_events(client);
	}
	return !TAILQ_EMPTY(&server->busy) || !TAILQ_EMPTY(&server->served) ||
	       queue_can_process(server->queue);
}

/*
 * Connections with new input run first. If the time has ended, or the commit is large enough,
 * before all connections have run commands, the rest run before those that have.
 */
static void work(struct server *server)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC_COARSE) + COMMANDS_NS;
	struct client *client;

	TAILQ_CONCAT(&server->busy, &server->served, busy);
	TAILQ_FOREACH(client, &server->busy, busy)
		if (!client->is_dead)
			client_work(client, end);
}

/* Reading a wheel costs a system call, so only a readable one is read. */
static bool run_timers(struct server *server)
{
	struct timers *timers = server->queue->timers;
	bool more = false;
	int clock;

	for (clock = 0; clock < CLOCKS; clock++) {
		if (server->has_expired[clock] || timers_have_events(timers, clock))
			server->has_expired[clock] = !timers_run(timers, clock, TIMER_BUDGET);
		more |= server->has_expired[clock];
	}
	return more;
}

static void turn(struct server *server, bool more)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(server->epoll, events, EVENTS, more ? 0 : -1);
	int i;

	for (i = 0; i < count; i++)
		take_event(server, &events[i]);
}

static void *reopen_store(void *context)
{
	struct server *server = context;

	server->reopened = server->store->reopen(server->store);
	eventfd_write(server->reopen_fd, 1);
	return NULL;
}

/*
 * The store was lost in this iteration. Close the connections that would receive its responses, and
 * those that have reserved jobs. Keep the others. Open the store in another thread, because that
 * may wait.
 */
static void lose_store(struct server *server)
{
	struct client *client;
	pthread_t thread;

	TAILQ_FOREACH(client, &server->clients, all) {
		client_set_busy(client);
		if (client_is_affected(client))
			client_kill(client);
	}
	server->has_more = true;
	server->is_reopening = true;
	if (pthread_create(&thread, NULL, reopen_store, server) || pthread_detach(thread))
		fail(EXIT_FAILED, "cannot create a thread");
}

/*
 * Read the store again: another server may have changed it in the meantime. If it is lost now, the
 * queue has some of its tubes, and is lost at the end of the iteration.
 */
static void regain_store(struct server *server)
{
	struct queue *old = server->queue, *queue = zeroed(1, sizeof(*queue));
	struct client *client;
	eventfd_t value;

	server->is_reopened = false;
	server->is_reopening = false;
	eventfd_read(server->reopen_fd, &value);
	server->store = server->reopened;
	server->store->can_be_lost = true;
	queue_open(queue, server->store, &server->options.queue);
	use_queue(server, queue);
	TAILQ_FOREACH(client, &server->clients, all)
		client_move(client, old);
	queue_close(old);
	free(old);
	if (!server->store->is_lost)
		say("the store is available again");
}

static void iterate(struct server *server)
{
	struct queue *queue;

	turn(server, server->has_more);
	if (server->is_reopened)
		regain_store(server);
	queue = server->queue;
	server->has_more = run_timers(server);
	work(server);
	process_queue(server);
	server->has_more |= queue_work(queue);
	if (queue_must_commit(queue, !TAILQ_EMPTY(&server->busy)))
		queue_commit(queue);
	if (queue->store->is_lost && !server->is_reopening)
		lose_store(server);
	server->has_more |= finish_turn(server);
	if (!server->has_more)
		queue_prepare(queue);
}

void serve(const struct server_options *options)
{
	struct server server;

	server_open(&server, options);
	printf("wheelq: serves %llu jobs on %s\n",
	       (unsigned long long)tube_jobs(server.queue->tubes.jobs),
	       server.listener.name);
	fflush(stdout);
	notify("READY=1\nSTATUS=serving");
	server.store->can_be_lost = server.store->reopen;
	while (!server.is_ending)
		iterate(&server);
	notify("STOPPING=1");
	server.store->can_be_lost = false;
	while (!TAILQ_EMPTY(&server.clients))
		end_client(TAILQ_FIRST(&server.clients));
	queue_finish(server.queue);
	if (!server.is_reopening)
		queue_close(server.queue);
	free(server.queue);
	listener_close(&server.listener);
}
