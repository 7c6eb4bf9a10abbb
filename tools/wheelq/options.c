// SPDX-License-Identifier: MIT
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fail.h"
#include "version.h"

#define MOST_CONNECTIONS	10000
/* Bytes that connections hold, and how many of the largest bodies are to fit. */
#define MOST_BUFFERS		(256 << 20)
#define BODIES			4

enum choice {
	CONFIG = 256, LISTEN, PORT, STORE, CONNECTIONS, BODY, JOBS, BYTES, TUBES,
	BUFFERS, LEASES, WINDOW, HORIZON, HELP, VERSION,
};

static const struct option long_options[] = {
	{ "config", required_argument, NULL, CONFIG },
	{ "listen", required_argument, NULL, LISTEN },
	{ "port", required_argument, NULL, PORT },
	{ "store", required_argument, NULL, STORE },
	{ "max-connections", required_argument, NULL, CONNECTIONS },
	{ "max-job-size", required_argument, NULL, BODY },
	{ "max-jobs", required_argument, NULL, JOBS },
	{ "max-bytes", required_argument, NULL, BYTES },
	{ "max-tubes", required_argument, NULL, TUBES },
	{ "max-buffers", required_argument, NULL, BUFFERS },
	{ "max-leases", required_argument, NULL, LEASES },
	{ "window", required_argument, NULL, WINDOW },
	{ "horizon", required_argument, NULL, HORIZON },
	{ "help", no_argument, NULL, HELP },
	{ "version", no_argument, NULL, VERSION },
	{ 0 },
};

static const char usage[] =
	"Usage: wheelq --store FILE|URI [OPTION...]\n"
	"\n"
	"Serves a queue of jobs, delayed or ready, by beanstalkd's protocol. What it has\n"
	"acknowledged survives a crash.\n"
	"\n"
	"  --store FILE           where the jobs are kept; made if it is not there\n"
	"  --store URI            postgresql://..., where several servers may have one\n"
	"                         store: one serves, the others stand by\n"
	"  --listen ADDRESS       127.0.0.1 unless given, or unix:PATH; there are no\n"
	"                         passwords: who reaches it may do everything\n"
	"  --port PORT            11300\n"
	"  --config FILE          options from a file, one a line, as in 'max-jobs 1000'\n"
	"\n"
	"Limits; what is beyond is refused with OUT_OF_MEMORY or JOB_TOO_BIG:\n"
	"  --max-job-size BYTES   of a body: 65535\n"
	"  --max-jobs N           0, which is no limit\n"
	"  --max-bytes BYTES      that jobs take in the store: 0, no limit\n"
	"  --max-tubes N          10000\n"
	"  --max-connections N    10000, or what the limit of open files has room for\n"
	"  --max-buffers BYTES    of commands that are not whole, and answers that are not\n"
	"                         read; beyond it who is slowest is refused: 268435456\n"
	"  --max-leases N         jobs reserved at a time; who reserves more waits: 65536\n"
	"\n"
	"Memory:\n"
	"  --window N             jobs of each state to keep in memory: 131072\n"
	"  --horizon SECONDS      how far ahead jobs are loaded: 3600\n"
	"\n"
	"SIGTERM ends it, SIGUSR1 lets it refuse new jobs. Exit status: 0: it was ended;\n"
	"1: the store or the system refused; 2: it was asked for what makes no sense.\n";

static uint64_t read_limit(const char *name, const char *text,
			   uint64_t least, uint64_t most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n < least ||
	    n > most)
		fail(EXIT_USAGE, "--%s is a number from %llu to %llu, not '%s'",
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
		o->body = read_limit(name, text, 1, 1 << 30);
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
	case BUFFERS:
		o->quota = read_limit(name, text, 1, INT64_MAX);
		break;
	case LEASES:
		o->queue.reservations = read_limit(name, text, 1, 4000000);
		break;
	case WINDOW:
		o->queue.window = read_limit(name, text, 16, 4000000);
		break;
	default:
		o->queue.horizon = 1000 * read_limit(name, text, 1, 100000000);
	}
}

static bool take_setting(void *context, const char *name, const char *value);

static void take(struct server_options *o, int option, const char *name,
		 const char *value)
{
	switch (option) {
	case CONFIG:
		config_read(value, o, take_setting);
		break;
	case LISTEN:
		o->address = value;
		break;
	case PORT:
		read_limit(name, value, 1, UINT16_MAX);
		o->port = value;
		break;
	case STORE:
		o->path = value;
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

/* A file has no files in it, and all its settings have a value. */
static bool take_setting(void *context, const char *name, const char *value)
{
	const struct option *option;

	for (option = long_options; option->name; option++)
		if (!strcmp(option->name, name))
			break;
	if (!option->name || !option->has_arg || option->val == CONFIG)
		return false;
	take(context, option->val, name, value);
	return true;
}

/* Unless so many are asked for, as many as may be. */
static void resolve_connections(struct server_options *o)
{
	uint32_t wanted = o->connections ? o->connections : MOST_CONNECTIONS;
	uint32_t room = listener_room(wanted);

	if (o->connections > room)
		fail(EXIT_FAILED,
		     "open files are limited: there is room for %u connections, not for %u; see LimitNOFILE= or ulimit -n",
		     room, o->connections);
	o->connections = room;
}

/* Unless something else is asked for, a few bodies of any size that is allowed fit. */
static void resolve_buffers(struct server_options *o)
{
	uint64_t bodies = (uint64_t)BODIES * o->body;

	if (!o->quota)
		o->quota = bodies > MOST_BUFFERS ? bodies : MOST_BUFFERS;
}

void options_read(struct server_options *options, int argc, char **argv)
{
	int option, index = 0;

	*options = (struct server_options){
		.address = "127.0.0.1", .port = "11300",
		.body = 65535,
		.queue = {
			.window = 131072, .horizon = 3600 * 1000,
			.reservations = 65536, .tubes = 10000,
			.numbers = 1000,
		},
	};
	while ((option = getopt_long(argc, argv, "", long_options,
				     &index)) != -1)
		take(options, option, long_options[index].name, optarg);
	if (optind < argc)
		fail(EXIT_USAGE, "'%s' is no option; see wheelq --help",
		     argv[optind]);
	if (!options->path || !*options->path)
		fail(EXIT_USAGE, "needs --store FILE or --store URI; see wheelq --help");
	resolve_connections(options);
	resolve_buffers(options);
	options->queue.timers = options->connections;
}
