// SPDX-License-Identifier: MIT
#include "options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "listen.h"
#include "shards.h"

#define MOST_CONNECTIONS	10000
/* Both stores fail if a row is about twice as large. */
#define MOST_BODY		(512 << 20)

enum choice {
	LISTEN = 256, PORT, HTTP, STORE, SHARDS, USER, CONNECTIONS, BODY,
	JOBS, BYTES, TUBES, RESERVED, LOADED, HORIZON, HELP, VERSION,
};

static const struct option long_options[] = {
	{ "listen", required_argument, NULL, LISTEN },
	{ "port", required_argument, NULL, PORT },
	{ "http-port", required_argument, NULL, HTTP },
	{ "store", required_argument, NULL, STORE },
	{ "shards", required_argument, NULL, SHARDS },
	{ "allow-user", required_argument, NULL, USER },
	{ "max-connections", required_argument, NULL, CONNECTIONS },
	{ "max-job-size", required_argument, NULL, BODY },
	{ "max-jobs", required_argument, NULL, JOBS },
	{ "max-bytes", required_argument, NULL, BYTES },
	{ "max-tubes", required_argument, NULL, TUBES },
	{ "max-reserved", required_argument, NULL, RESERVED },
	{ "max-loaded", required_argument, NULL, LOADED },
	{ "horizon", required_argument, NULL, HORIZON },
	{ "help", no_argument, NULL, HELP },
	{ "version", no_argument, NULL, VERSION },
	{ 0 },
};

static const char usage[] =
	"Usage: wheelq --store FILE|URI [OPTION...]\n"
	"\n"
	"Serve delayed jobs with the beanstalkd protocol. Acknowledged changes survive a crash.\n"
	"\n"
	"  --store FILE           SQLite file with the jobs, created if it does not exist\n"
	"  --store URI            PostgreSQL database with the jobs: postgresql://HOST/DATABASE; if\n"
	"                         several servers use it, one serves, the others are on standby\n"
	"  --shards N             the servers of the database all serve at once: its tubes are divided\n"
	"                         into N shards, from 1 to 32, and each server holds some of them\n"
	"  --listen ADDRESS       address or unix:PATH to listen on, default: 127.0.0.1\n"
	"  --port PORT            TCP port to listen on, default: 11300\n"
	"  --http-port PORT       TCP port for metrics and health checks alone, also on standby\n"
	"  --allow-user USER      accept only this user on a Unix socket; may be repeated\n"
	"  --help, --version      print this text or the version, and exit\n"
	"\n"
	"Limits. Beyond them, the response is OUT_OF_MEMORY, JOB_TOO_BIG or TOO_MANY_TUBES:\n"
	"  --max-job-size BYTES   size of a body, default: 65535\n"
	"  --max-jobs N           number of jobs, default: 0, no limit\n"
	"  --max-bytes BYTES      size of the jobs in the store, default: 0, no limit\n"
	"  --max-tubes N          number of tubes, default: 10000\n"
	"  --max-connections N    number of connections,\n"
	"                         default: 10000, or fewer if the limit on open files is lower\n"
	"  --max-reserved N       number of reserved jobs; beyond it, workers wait, default: 65536\n"
	"\n"
	"Memory:\n"
	"  --max-loaded N         jobs of each state in memory, default: 131072\n"
	"  --horizon SECONDS      load delayed jobs when due within this time, default: 3600\n"
	"\n"
	"SIGTERM ends the server. After SIGUSR1, it rejects puts. See wheelq(8).\n"
	"\n"
	"Exit status:\n"
	"  0  ended by SIGTERM or SIGINT\n"
	"  1  the store or a system call failed\n"
	"  2  an option is invalid\n";

static uint64_t read_limit(const char *name, const char *text,
			   uint64_t least, uint64_t most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n < least ||
	    n > most)
		fail(EXIT_USAGE, "--%s must be a number from %llu to %llu, not '%s'",
		     name, (unsigned long long)least, (unsigned long long)most,
		     text);
	return n;
}

static void take_limit(struct server_options *o, int option, const char *name,
		       const char *text)
{
	switch (option) {
	case CONNECTIONS:
		o->connections = read_limit(name, text, 1, 1000000);
		break;
	case BODY:
		o->body = read_limit(name, text, 1, MOST_BODY);
		break;
	case JOBS:
		o->queue.jobs = read_limit(name, text, 0, INT64_MAX);
		break;
	case BYTES:
		o->queue.bytes = read_limit(name, text, 0, INT64_MAX);
		break;
	case TUBES:
		o->queue.tubes = read_limit(name, text, 1, 1000000);
		break;
	case RESERVED:
		o->queue.reservations = read_limit(name, text, 1, 4000000);
		break;
	case LOADED:
		o->queue.loaded = read_limit(name, text, 16, 4000000);
		break;
	default:
		o->queue.horizon = 1000 * read_limit(name, text, 1, 100000000);
	}
}

static void allow_user(struct server_options *o, const char *name)
{
	const struct passwd *user = getpwnam(name);

	if (o->user_count == OPTIONS_USERS)
		fail(EXIT_USAGE, "at most %d users can be allowed", OPTIONS_USERS);
	o->users[o->user_count++] = user ? user->pw_uid :
		read_limit("allow-user", name, 0, UINT32_MAX - 1);
}

static void take(struct server_options *o, int option, const char *name,
		 const char *value)
{
	switch (option) {
	case LISTEN:
		o->address = value;
		break;
	case PORT:
		read_limit(name, value, 1, UINT16_MAX);
		o->port = value;
		break;
	case HTTP:
		read_limit(name, value, 1, UINT16_MAX);
		o->http_port = value;
		break;
	case STORE:
		o->path = value;
		break;
	case SHARDS:
		o->shards = read_limit(name, value, 1, SHARDS_MOST);
		break;
	case USER:
		allow_user(o, value);
		break;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	case VERSION:
		printf("wheelq %s\n", WHEELQ_VERSION);
		exit(0);
	case '?':
		exit(EXIT_USAGE);
	default:
		take_limit(o, option, name, value);
	}
}

/* By default, as many as the limit on open files allows. */
static void resolve_connections(struct server_options *o)
{
	uint32_t wanted = o->connections ? o->connections : MOST_CONNECTIONS;
	uint32_t room = listener_room(wanted);

	if (o->connections > room)
		fail(EXIT_FAILED,
		     "the limit on open files allows %u connections, not %u; see LimitNOFILE= or ulimit -n",
		     room, o->connections);
	o->connections = room;
}

static bool begins_with(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

bool options_name_a_database(const struct server_options *options)
{
	return begins_with(options->path, "postgresql://") ||
	       begins_with(options->path, "postgres://");
}

/* The other servers connect to the address, and to one port for each shard. */
static void check_shards(const struct server_options *o)
{
	unsigned char any[sizeof(struct in6_addr)] = { 0 }, address[sizeof(any)] = { 0 };

	if (!o->shards)
		return;
	if (!options_name_a_database(o))
		fail(EXIT_USAGE, "--shards requires --store postgresql://...");
	if ((inet_pton(AF_INET, o->address, address) != 1 &&
	     inet_pton(AF_INET6, o->address, address) != 1) ||
	    !memcmp(address, any, sizeof(any)))
		fail(EXIT_USAGE,
		     "--shards requires --listen with the IP address at which other servers reach this one, not '%s'",
		     o->address);
	if (strtoul(o->port, NULL, 10) + o->shards > UINT16_MAX)
		fail(EXIT_USAGE, "--shards %u also uses the %u ports after --port %s", o->shards,
		     o->shards, o->port);
}

void options_read(struct server_options *options, int argc, char **argv)
{
	int option, index = 0;

	*options = (struct server_options){
		.address = "127.0.0.1", .port = "11300",
		.body = 65535,
		.queue = {
			.loaded = 131072, .horizon = 3600 * 1000,
			.reservations = 65536, .tubes = 10000,
			.numbers = 1000,
		},
	};
	while ((option = getopt_long(argc, argv, "", long_options,
				     &index)) != -1)
		take(options, option, long_options[index].name, optarg);
	if (optind < argc)
		fail(EXIT_USAGE, "unexpected argument '%s'; see wheelq --help",
		     argv[optind]);
	if (!options->path || !*options->path)
		fail(EXIT_USAGE, "--store is required; see wheelq --help");
	if (options->user_count && strncmp(options->address, "unix:", 5))
		fail(EXIT_USAGE, "--allow-user requires --listen unix:PATH");
	if (options->http_port && !strncmp(options->address, "unix:", 5))
		fail(EXIT_USAGE, "--http-port requires an address to --listen on");
	check_shards(options);
	resolve_connections(options);
	options->queue.timers = options->connections;
}
