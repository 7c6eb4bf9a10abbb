/* SPDX-License-Identifier: MIT */
/* Connections to the server. All functions print a message and exit if an operation fails. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Upper limits of the lag buckets, in ms; the same ones as in the module. */
#define LAG_LIMITS	{ 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000 }
#define LAG_BUCKETS	14

struct server_address {
	const char *host;
	int port;
	/* Unix socket, or NULL. */
	const char *path;
	int database;
};

/* struct lag_metrics - A histogram for Prometheus; @counts is not cumulative. */
struct lag_metrics {
	const char *name;
	const char *help;
	uint64_t counts[LAG_BUCKETS];
	int64_t sum_us;
};

/* Called with the name of a deleted key, and the server's time of the notification. */
typedef void server_deleted_fn(const char *name, int64_t now_us);

__attribute__((__noreturn__, __format__(printf, 1, 2)))
void die(const char *format, ...);

void server_connect(const struct server_address *address);
void server_close(void);
/* Returns the current time of the server's clock, in microseconds since 1970. */
int64_t server_now_us(void);
/* Requests a message for each deletion of a key with this prefix by others. */
void server_track(const char *prefix);
/* Waits for such messages until that time at the latest. */
void server_wait_deletions(int64_t end_us, server_deleted_fn *deleted);
/* Sends a command without waiting for its reply. */
__attribute__((__format__(printf, 1, 2)))
void server_append(const char *format, ...);
/* Receives the replies to that number of commands. */
void server_flush(long count);
/* Reads the histogram of the module wheel_expire. Returns false if it is not loaded. */
bool server_module_lag(struct lag_metrics *lag);

#endif
