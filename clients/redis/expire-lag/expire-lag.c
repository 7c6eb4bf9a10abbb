// SPDX-License-Identifier: MIT
/*
 * expire-lag: measures the time from the expiry of keys to their deletion, on a live server.
 *
 * Redis and Valkey delete an expired key when a client accesses it, or when a periodic scan
 * of random keys finds it. This program sets probe keys, and receives the server's invalidation
 * messages for client-side caching when the keys are deleted. So it accesses no key, and needs
 * no configuration or module.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

#define KEYS_MAX	1000000
#define SECONDS_MAX	86400
#define BAR		40

static const struct option long_options[] = {
	{ "host", required_argument, NULL, 'h' },
	{ "port", required_argument, NULL, 'p' },
	{ "socket", required_argument, NULL, 's' },
	{ "database", required_argument, NULL, 'n' },
	{ "keys", required_argument, NULL, 'k' },
	{ "ttl", required_argument, NULL, 't' },
	{ "spread", required_argument, NULL, 'd' },
	{ "wait", required_argument, NULL, 'w' },
	{ "prefix", required_argument, NULL, 'x' },
	{ "prometheus", no_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'H' },
	{}
};

static const char usage[] =
	"Usage: expire-lag [OPTION]...\n"
	"Measure the time from the expiry of keys to their deletion by a Redis or Valkey server.\n"
	"\n"
	"  -h, --host HOST      name of the server; the default is 127.0.0.1\n"
	"  -p, --port PORT      port of the server; the default is 6379\n"
	"  -s, --socket PATH    Unix socket of the server, instead of host and port\n"
	"  -n, --database N     database of the probe keys; the default is 0\n"
	"  -k, --keys N         number of probe keys; the default is 1000\n"
	"  -t, --ttl SECONDS    TTL of the first probe key; the default is 2\n"
	"  -d, --spread SECONDS time between the first and the last expiry; the default is 5\n"
	"  -w, --wait SECONDS   longest wait after the last expiry; the default is 30\n"
	"  -x, --prefix TEXT    prefix of the probe keys; the default is expire-lag:\n"
	"  -m, --prometheus     print Prometheus metrics, with those of the module wheel_expire\n"
	"      --help           print this help\n"
	"\n"
	"The environment variable REDISCLI_AUTH contains the password of the server, if any.\n";

static const uint32_t limits_ms[] = LAG_LIMITS;

static struct {
	const char *prefix;
	long keys, ttl, spread, wait;
	bool prometheus;
	/* Lag by probe key in us; NOT_DELETED at first. */
	int64_t *lag_us;
	long deleted;
	/* Probe keys that were removed before their expiry, for example by eviction. */
	long early;
	/* Time of the server at which the first key expires. */
	int64_t first_ms;
} probe = {
	.prefix = "expire-lag:",
	.keys = 1000,
	.ttl = 2,
	.spread = 5,
	.wait = 30,
};

#define NOT_DELETED	INT64_MIN
#define EARLY		(INT64_MIN + 1)

static atomic_bool interrupted;

static void on_signal(int nr)
{
	atomic_store(&interrupted, true);
}

static int64_t due_ms(long key)
{
	return probe.first_ms + key * probe.spread * 1000 / probe.keys;
}

/* The prefix contains the process id, so several instances do not interfere. */
static void format_prefix(char *text, size_t size)
{
	snprintf(text, size, "%s%d:", probe.prefix, getpid());
}

static void set_keys(void)
{
	char prefix[256];
	long key;

	format_prefix(prefix, sizeof(prefix));
	probe.first_ms = server_now_us() / 1000 + probe.ttl * 1000;
	for (key = 0; key < probe.keys; key++) {
		probe.lag_us[key] = NOT_DELETED;
		server_append("SET %s%ld 1 PXAT %lld", prefix, key, (long long)due_ms(key));
	}
	server_flush(probe.keys);
}

static void remove_rest(void)
{
	char prefix[256];
	long key, count = 0;

	format_prefix(prefix, sizeof(prefix));
	for (key = 0; key < probe.keys; key++)
		if (probe.lag_us[key] == NOT_DELETED) {
			server_append("UNLINK %s%ld", prefix, key);
			count++;
		}
	server_flush(count);
}

static void on_deletion(const char *name, int64_t now_us)
{
	const char *digits = strrchr(name, ':');
	long key = digits ? strtol(digits + 1, NULL, 10) : -1;
	int64_t lag_us;

	if (key < 0 || key >= probe.keys || probe.lag_us[key] != NOT_DELETED)
		return;
	lag_us = now_us - due_ms(key) * 1000;
	probe.deleted++;
	probe.early += lag_us < 0;
	probe.lag_us[key] = lag_us < 0 ? EARLY : lag_us;
}

static void measure(void)
{
	char prefix[256];
	int64_t end_us;

	format_prefix(prefix, sizeof(prefix));
	server_track(prefix);
	set_keys();
	end_us = (due_ms(probe.keys) + probe.wait * 1000) * 1000;
	while (!interrupted && probe.deleted < probe.keys && server_now_us() < end_us)
		server_wait_deletions(end_us, on_deletion);
	remove_rest();
}

static int compare(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

/* Sorts the lags of the deleted keys to the front. Returns their number. */
static long sort_lags(void)
{
	long key, count = 0;

	for (key = 0; key < probe.keys; key++)
		if (probe.lag_us[key] >= 0)
			probe.lag_us[count++] = probe.lag_us[key];
	qsort(probe.lag_us, count, sizeof(*probe.lag_us), compare);
	return count;
}

/* Counts the lags, which are sorted, by bucket. */
static void fill(uint64_t *counts, long lags)
{
	long key;
	int bucket = 0;

	memset(counts, 0, LAG_BUCKETS * sizeof(*counts));
	for (key = 0; key < lags; key++) {
		while (bucket < LAG_BUCKETS - 1 &&
		       probe.lag_us[key] > limits_ms[bucket] * 1000ll)
			bucket++;
		counts[bucket]++;
	}
}

/* Keys that were not deleted in time count as the longest lags. */
static void print_percentile(const char *name, long permille, long lags)
{
	long total = probe.keys - probe.early;
	long rank = (total - 1) * permille / 1000;

	if (rank < lags)
		printf("  %s %.1f ms", name, probe.lag_us[rank] / 1000.0);
	else
		printf("  %s more than %ld s", name, probe.wait);
}

static void print_bar(const char *label, uint64_t count, uint64_t largest)
{
	int length = largest ? (count * BAR + largest - 1) / largest : 0;

	printf("%14s %8llu%s%.*s\n", label, (unsigned long long)count, length ? "  " : "",
	       length, "########################################");
}

static void print_histogram(const uint64_t *counts, uint64_t rest)
{
	uint64_t largest = rest;
	char label[32];
	int i;

	for (i = 0; i < LAG_BUCKETS; i++)
		if (counts[i] > largest)
			largest = counts[i];
	for (i = 0; i < LAG_BUCKETS - 1; i++) {
		snprintf(label, sizeof(label), "<= %u ms", limits_ms[i]);
		print_bar(label, counts[i], largest);
	}
	print_bar("longer", counts[i], largest);
	print_bar("not deleted", rest, largest);
}

static void print_text(void)
{
	long lags = sort_lags();
	uint64_t counts[LAG_BUCKETS];

	printf("%ld of %ld keys deleted", lags, probe.keys - probe.early);
	if (probe.early)
		printf(", %ld more removed before their expiry", probe.early);
	printf("; lag of the deletion:\n");
	if (probe.keys > probe.early) {
		print_percentile("p50", 500, lags);
		print_percentile("p90", 900, lags);
		print_percentile("p99", 990, lags);
		print_percentile("max", 1000, lags);
		printf("\n");
	}
	fill(counts, lags);
	print_histogram(counts, probe.keys - probe.early - lags);
}

static void print_metrics(const struct lag_metrics *lag)
{
	uint64_t sum = 0;
	int i;

	printf("# HELP %s_seconds %s\n# TYPE %s_seconds histogram\n", lag->name, lag->help,
	       lag->name);
	for (i = 0; i < LAG_BUCKETS - 1; i++) {
		sum += lag->counts[i];
		printf("%s_seconds_bucket{le=\"%g\"} %llu\n", lag->name, limits_ms[i] / 1000.0,
		       (unsigned long long)sum);
	}
	sum += lag->counts[i];
	printf("%s_seconds_bucket{le=\"+Inf\"} %llu\n", lag->name, (unsigned long long)sum);
	printf("%s_seconds_sum %g\n", lag->name, lag->sum_us / 1e6);
	printf("%s_seconds_count %llu\n", lag->name, (unsigned long long)sum);
}

static void print_prometheus(void)
{
	struct lag_metrics lag = {
		.name = "redis_expire_lag",
		.help = "Time from the expiry of a probe key to its deletion.",
	};
	long lags = sort_lags(), key;

	if (probe.keys) {
		fill(lag.counts, lags);
		for (key = 0; key < lags; key++)
			lag.sum_us += probe.lag_us[key];
		print_metrics(&lag);
		printf("# HELP redis_expire_lag_not_deleted Probe keys not deleted in time.\n");
		printf("# TYPE redis_expire_lag_not_deleted gauge\n");
		printf("redis_expire_lag_not_deleted %ld\n", probe.keys - probe.deleted);
	}
	if (server_module_lag(&lag))
		print_metrics(&lag);
}

static long number(const char *text, long least, long most)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most)
		die("%s: must be from %ld to %ld", text, least, most);
	return value;
}

/* Returns false if the option is not valid. */
static bool parse_option(int option, struct server_address *address)
{
	switch (option) {
	case 'h':
		address->host = optarg;
		return true;
	case 'p':
		address->port = number(optarg, 1, 65535);
		return true;
	case 's':
		address->path = optarg;
		return true;
	case 'n':
		address->database = number(optarg, 0, 65535);
		return true;
	case 'k':
		probe.keys = number(optarg, 0, KEYS_MAX);
		return true;
	case 't':
		probe.ttl = number(optarg, 1, SECONDS_MAX);
		return true;
	case 'd':
		probe.spread = number(optarg, 0, SECONDS_MAX);
		return true;
	case 'w':
		probe.wait = number(optarg, 0, SECONDS_MAX);
		return true;
	case 'x':
		probe.prefix = optarg;
		return true;
	case 'm':
		probe.prometheus = true;
		return true;
	}
	return false;
}

static void parse(int argc, char **argv, struct server_address *address)
{
	int option;

	while ((option = getopt_long(argc, argv, "h:p:s:n:k:t:d:w:x:m", long_options,
				     NULL)) != -1) {
		if (option == 'H') {
			fputs(usage, stdout);
			exit(0);
		}
		if (!parse_option(option, address))
			exit(2);
	}
	if (optind < argc)
		die("%s: unexpected argument; see --help", argv[optind]);
	if (strlen(probe.prefix) > 200 || strpbrk(probe.prefix, " %"))
		die("%s: not a prefix of at most 200 bytes without blanks", probe.prefix);
}

int main(int argc, char **argv)
{
	struct server_address address = { .host = "127.0.0.1", .port = 6379 };
	struct sigaction action = { .sa_handler = on_signal };

	parse(argc, argv, &address);
	probe.lag_us = calloc(probe.keys + 1, sizeof(*probe.lag_us));
	if (!probe.lag_us)
		die("%s", strerror(ENOMEM));
	server_connect(&address);
	/* The probe keys are removed after an interrupt. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (probe.keys)
		measure();
	if (probe.prometheus)
		print_prometheus();
	else
		print_text();
	server_close();
	free(probe.lag_us);
	return interrupted;
}
