// SPDX-License-Identifier: MIT
/*
 * Metrics for Prometheus.
 */
#include "requests.h"

#include <sys/resource.h>

static void head(struct buffer *b, const char *name, const char *type,
		 const char *help)
{
	buffer_print(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void gauge(struct buffer *b, const char *name, const char *help,
		  uint64_t value)
{
	head(b, name, "gauge", help);
	buffer_print(b, "%s %llu\n", name, (unsigned long long)value);
}

static void counter(struct buffer *b, const char *name, const char *help,
		    uint64_t value)
{
	head(b, name, "counter", help);
	buffer_print(b, "%s %llu\n", name, (unsigned long long)value);
}

static void histogram(struct buffer *b, const char *name, const char *help,
		      const struct histogram *h)
{
	double bound = 0.0001;
	uint64_t count = 0;
	int at;

	head(b, name, "histogram", help);
	for (at = 0; at < HISTOGRAM_BOUNDS; at++, bound *= 10) {
		count += h->counts[at];
		buffer_print(b, "%s_bucket{le=\"%g\"} %llu\n", name, bound,
			     (unsigned long long)count);
	}
	count += h->counts[at];
	buffer_print(b, "%s_bucket{le=\"+Inf\"} %llu\n%s_sum %.6f\n%s_count %llu\n", name,
		     (unsigned long long)count, name, h->sum / 1e6, name,
		     (unsigned long long)count);
}

static uint64_t jobs_in(const uint64_t *jobs, enum job_state state)
{
	return state == JOB_DELAYED ? jobs[JOB_DELAYED] + jobs[JOB_TIMED] :
				      jobs[state];
}

static const enum job_state shown[] = {
	JOB_DELAYED, JOB_READY, JOB_RESERVED, JOB_BURIED,
};

#define SHOWN	(sizeof(shown) / sizeof(*shown))

static void jobs(struct buffer *b, const struct tubes *tubes, uint64_t now)
{
	const struct tube *tube;
	size_t i;

	head(b, "wheelq_jobs", "gauge", "Jobs by state, of all tubes.");
	for (i = 0; i < SHOWN; i++)
		buffer_print(b, "wheelq_jobs{state=\"%s\"} %llu\n",
			     job_state_name(shown[i]),
			     (unsigned long long)jobs_in(tubes->jobs, shown[i]));
	/* The characters of a tube's name need no escape. */
	head(b, "wheelq_tube_jobs", "gauge", "Jobs by tube and state.");
	TAILQ_FOREACH(tube, &tubes->list, all)
		for (i = 0; i < SHOWN; i++)
			buffer_print(b, "wheelq_tube_jobs{tube=\"%s\",state=\"%s\"} %llu\n",
				     tube->name, job_state_name(shown[i]),
				     (unsigned long long)jobs_in(tube->jobs,
								 shown[i]));
	head(b, "wheelq_tube_ready_age_seconds", "gauge",
	     "Time since the oldest ready job in memory was due.");
	TAILQ_FOREACH(tube, &tubes->list, all)
		buffer_print(b, "wheelq_tube_ready_age_seconds{tube=\"%s\"} %.3f\n", tube->name,
			     (now - tube_oldest_due(tube, now)) / 1e3);
	histogram(b, "wheelq_lateness_seconds",
		  "Time from when a delayed job was due until it was ready.", &tubes->lateness);
}

static void commands(struct buffer *b, const struct server *server)
{
	int verb;

	head(b, "wheelq_commands_total", "counter", "Commands by name.");
	for (verb = 0; verb < VERB_QUIT; verb++)
		buffer_print(b, "wheelq_commands_total{command=\"%s\"} %llu\n",
			     verb_name(verb),
			     (unsigned long long)server->verbs[verb]);
}

static void process(struct buffer *b, const struct server *server)
{
	const struct timers *timers = server->queue->timers;
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	head(b, "wheelq_info", "gauge", "Version and timers.");
	buffer_print(b, "wheelq_info{version=\"%s\",wheel=\"%s\"} 1\n",
		     WHEELQ_VERSION, timers_backend(timers));
	gauge(b, "wheelq_uptime_seconds", "Time since the start.",
	      (timers_now(timers, CLOCK_QUEUE) - server->started) / 1000);
	gauge(b, "wheelq_serving", "0: on standby.", 1);
	gauge(b, "wheelq_draining", "1: puts are rejected.",
	      server->is_draining);
	gauge(b, "wheelq_epoch", "Number of times that a server has taken over the store.",
	      server->store->epoch);
	gauge(b, "process_resident_memory_bytes", "Memory.", stats_memory());
	head(b, "process_cpu_seconds_total", "counter",
	     "CPU time.");
	buffer_print(b, "process_cpu_seconds_total %.2f\n",
		     used.ru_utime.tv_sec + used.ru_stime.tv_sec +
		     (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
}

void metrics_print(struct buffer *b, struct server *server)
{
	const struct queue *queue = server->queue;
	struct stats_clients clients;

	stats_count_clients(server, &clients);
	process(b, server);
	jobs(b, &queue->tubes, timers_now(queue->timers, CLOCK_QUEUE));
	gauge(b, "wheelq_tubes", "Tubes.", queue->tubes.count);
	counter(b, "wheelq_jobs_put_total", "Jobs put.", queue->total);
	counter(b, "wheelq_job_timeouts_total", "Reservations whose TTR expired.",
		queue->timeouts);
	commands(b, server);
	gauge(b, "wheelq_connections", "Connections.", server->connected);
	gauge(b, "wheelq_waiting", "Connections that wait for a job.",
	      clients.waiting);
	counter(b, "wheelq_connections_total", "Accepted connections.",
		server->connections);
	gauge(b, "wheelq_jobs_in_memory", "Jobs in memory.",
	      queue->cache.jobs.count);
	gauge(b, "wheelq_store_bytes", "Size of the jobs in the store.",
	      queue_bytes(queue));
	gauge(b, "wheelq_store_full", "1: the disk of the store is full.",
	      queue_disk_is_full(queue));
	gauge(b, "wheelq_store_available", "1: the store can be reached.",
	      !queue->store->is_lost);
	counter(b, "wheelq_damaged_total",
		"Jobs that were read and did not match their checksum.",
		queue->damaged);
	counter(b, "wheelq_commits_total", "Commits of the store.",
		queue->commits);
	histogram(b, "wheelq_commit_seconds", "Time that a commit took.", &queue->commit_time);
}
