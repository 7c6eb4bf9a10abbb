/* SPDX-License-Identifier: MIT */
/*
 * HTTP of a server on standby, which does not run the event loop.
 */
#ifndef STANDBY_H
#define STANDBY_H

/* Wait for @ms, or until one request on this listener was responded to; -1: no listener. */
void standby_wait(int fd, int ms);

#endif
