// SPDX-License-Identifier: MIT
#include "step.h"

#include <string.h>

#include "clock.h"
#include "merge.h"

void step_use(struct session *s, const char *tube)
{
	name_copy(s->name, tube);
	s->step = STEP_USE;
	session_forward(s, links_shard_of(tube), "use ", tube);
}

static void reply_watching(struct session *s)
{
	buffer_print(&s->end.out, "WATCHING %u\r\n", watched_count(&s->watches));
}

void step_watch(struct session *s, const char *tube)
{
	struct link *link;

	if (watched_find(&s->watches, tube)) {
		reply_watching(s);
		return;
	}
	name_copy(s->name, tube);
	s->step = STEP_WATCH;
	session_forward(s, links_shard_of(tube), "watch ", tube);
	link = s->active;
	if (!strcmp(link->stale, tube))
		link->stale[0] = '\0';
	else if (link->stale[0])
		session_forward(s, link->shard, "ignore ", link->stale);
}

static void take_watched(struct session *s, const char *line)
{
	/* The response to the ignore of a stale tube follows. */
	if (!s->name[0])
		return;
	if (!strncmp(line, "WATCHING ", 9)) {
		watched_add(&s->watches, s->name);
		reply_watching(s);
		if (s->pending)
			s->active->stale[0] = '\0';
	} else {
		session_reply_line(s, line);
	}
	s->name[0] = '\0';
}

/* The last tube of a link cannot be ignored. */
void step_ignore(struct session *s, const char *tube)
{
	struct watched *w = watched_find(&s->watches, tube);
	struct link *link = s->links[links_shard_of(tube)];
	bool was_watched = w;

	if (w && watched_count(&s->watches) == 1) {
		session_reply(s, "NOT_IGNORED\r\n");
		return;
	}
	if (w)
		watched_remove(&s->watches, w);
	if (was_watched && link && watched_in(&s->watches, link->shard)) {
		s->step = STEP_IGNORE;
		session_forward(s, link->shard, "ignore ", tube);
		return;
	}
	if (was_watched && link)
		name_copy(link->stale, tube);
	reply_watching(s);
}

/* Ask the next shard with a watched tube. After all of them, pause or give up. */
static void next_of_round(struct session *s)
{
	uint32_t shard;

	while (s->asked < links.shards) {
		shard = (s->first + s->asked++) % links.shards;
		if (watched_in(&s->watches, shard)) {
			session_forward(s, shard, "reserve-with-timeout ", "0");
			return;
		}
	}
	if (clock_ms() < s->until && !s->end.has_ended) {
		s->step = STEP_PAUSE;
		return;
	}
	session_reply(s, "TIMED_OUT\r\n");
	s->step = STEP_NONE;
}

void step_reserve_again(struct session *s)
{
	s->step = STEP_ROUND;
	s->asked = 0;
	s->first = (s->first + 1) % links.shards;
	next_of_round(s);
}

void step_reserve(struct session *s, uint64_t until)
{
	s->until = until;
	step_reserve_again(s);
}

static void next_to_gather(struct session *s)
{
	session_forward(s, s->asked++, verb_name(s->verb), "");
}

void step_gather(struct session *s, enum verb verb)
{
	s->step = STEP_GATHER;
	s->verb = verb;
	s->asked = 0;
	next_to_gather(s);
}

static void finish_gathering(struct session *s)
{
	struct buffer all = { 0 };

	buffer_add(&s->gathered, "", 1);
	if (s->verb == VERB_STATS)
		merge_stats(&all, buffer_bytes(&s->gathered));
	else
		merge_tubes(&all, buffer_bytes(&s->gathered));
	session_reply_yaml(s, &all);
	buffer_clear(&all);
	buffer_clear(&s->gathered);
	s->step = STEP_NONE;
}

void step_take_line(struct session *s, const char *line)
{
	switch (s->step) {
	case STEP_WATCH:
		take_watched(s, line);
		break;
	case STEP_IGNORE:
		reply_watching(s);
		break;
	case STEP_ROUND:
		if (!strcmp(line, "TIMED_OUT")) {
			next_of_round(s);
			return;
		}
		session_reply_line(s, line);
		break;
	default:
		if (s->step == STEP_USE && !strncmp(line, "USING ", 6))
			name_copy(s->used, s->name);
		buffer_clear(&s->gathered);
		session_reply_line(s, line);
	}
	if (!s->pending)
		s->step = STEP_NONE;
}

void step_take_body(struct session *s)
{
	if (s->step != STEP_GATHER) {
		s->step = STEP_NONE;
		return;
	}
	/* Without the end of its last line. */
	s->gathered.to -= BODY_END;
	if (s->asked < links.shards)
		next_to_gather(s);
	else
		finish_gathering(s);
}
