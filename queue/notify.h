/* SPDX-License-Identifier: MIT */
/*
 * Report the state of the server to systemd, as sd_notify(3) does.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

/* Lines of assignments, for example READY=1. Ignored if systemd has not started the server. */
void notify(const char *state);

#endif
