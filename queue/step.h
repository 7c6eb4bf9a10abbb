/* SPDX-License-Identifier: MIT */
/*
 * Commands that are not only forwarded: a session waits for their responses before it runs the next
 * command.
 */
#ifndef STEP_H
#define STEP_H

#include "session.h"

void step_use(struct session *session, const char *tube);
void step_watch(struct session *session, const char *tube);
void step_ignore(struct session *session, const char *tube);
/* Reserve a job in several shards. */
void step_reserve(struct session *session, uint64_t until);
/* The same, after a pause. */
void step_reserve_again(struct session *session);
/* Run a command in all shards, and merge their responses. */
void step_gather(struct session *session, enum verb verb);

/* A response without a body, or one with a body, has arrived. */
void step_take_line(struct session *session, const char *line);
void step_take_body(struct session *session);

#endif
