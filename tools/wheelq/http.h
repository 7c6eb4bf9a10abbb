/* SPDX-License-Identifier: MIT */
/*
 * HTTP for Prometheus: GET /metrics, on the port of the protocol.
 *
 * A web page can make a browser send a request to a local port, with commands of the protocol in
 * its body. Any other request therefore closes the connection, and all input after its first
 * line is ignored.
 */
#ifndef HTTP_H
#define HTTP_H

#include "client.h"

/* Return: true if the line is the first one of a request. */
bool http_is_request(const char *line);
/* The same for the first bytes of a line that is too long. */
bool http_may_be_request(const char *bytes, size_t count);
/* A request was received. */
void http_begin(struct client *client, const char *line);
/* Process a header line. Return: false if it is incomplete. */
bool http_take(struct client *client);

#endif
