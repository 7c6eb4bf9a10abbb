/* SPDX-License-Identifier: MIT */
/*
 * Prometheus asks by HTTP: GET /metrics, on the port of the protocol.
 *
 * A web page can make a browser send a request to a port of its own machine, with
 * lines of our protocol in the body. So any other request ends its connection, and
 * nothing that follows its first line is looked at.
 */
#ifndef HTTP_H
#define HTTP_H

#include "client.h"

/* Is it the first line of a request? */
bool http_is_request(const char *line);
/* The same of the first bytes of a line that is too long: is its first word HTTP's? */
bool http_may_be_request(const char *bytes, size_t count);
/* It came from a client. */
void http_begin(struct client *client, const char *line);
/* One of the lines after it; was there one? */
bool http_take(struct client *client);

#endif
