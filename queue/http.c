// SPDX-License-Identifier: MIT
/*
 * HTTP: GET /metrics for Prometheus and GET /health for load balancers, on the port of the protocol
 * and on --http-port.
 *
 * A web page can make a browser send a request to a local port, with commands of the protocol in
 * its body. Any other request therefore closes the connection, and all input after its first
 * line is ignored.
 */
#include "requests.h"

#include <string.h>

#define HEADER_MAX	8192
#define UNAVAILABLE	"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n" \
			"Connection: close\r\n\r\n"

/* The third word is HTTP/1.x, which no command has. */
bool http_is_request(const char *line)
{
	const char *second = strchr(line, ' ');
	const char *third = second ? strchr(second + 1, ' ') : NULL;

	return third && !strncmp(third, " HTTP/1.", 8);
}

/* The first word is in capital letters, which no command is. */
bool http_may_be_request(const char *bytes, size_t count)
{
	size_t length = 0;

	while (length < count && bytes[length] >= 'A' && bytes[length] <= 'Z')
		length++;
	return length && length < count && bytes[length] == ' ';
}

void http_begin(struct client *client, const char *line)
{
	client->state = strncmp(line, "GET ", 4) ? CLIENT_QUITS : CLIENT_HEADERS;
	client->reply = strncmp(line, "GET /metrics ", 13) ? HTTP_NOT_FOUND : NULL;
	if (!strncmp(line, "GET /health ", 12))
		client->reply = client->server->queue->store->is_lost ? UNAVAILABLE : HTTP_SERVING;
}

void http_print(struct buffer *out, const struct buffer *metrics)
{
	buffer_print(out, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		     "Content-Length: %zu\r\nConnection: close\r\n\r\n", buffer_count(metrics));
	buffer_add(out, buffer_bytes(metrics), buffer_count(metrics));
}

static void send_metrics(struct client *client)
{
	struct buffer text = { 0 };

	metrics_print(&text, client->server);
	http_print(&client->out, &text);
	buffer_clear(&text);
}

bool http_take(struct client *client)
{
	struct buffer *in = &client->in;
	size_t count = buffer_count(in);
	char *end = memmem(buffer_bytes(in), count, "\r\n", 2);

	if (!end) {
		if (count > HEADER_MAX)
			client->state = CLIENT_QUITS;
		return false;
	}
	count = end - buffer_bytes(in);
	buffer_take(in, count + 2);
	if (count)
		return true;
	client->state = CLIENT_QUITS;
	if (!client->reply)
		send_metrics(client);
	client_reply(client, client->reply ?: "");
	return true;
}
