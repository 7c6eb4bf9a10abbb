/* SPDX-License-Identifier: MIT */
/*
 * beanstalkd's protocol: what a line asks for.
 */
#ifndef BEANSTALK_H
#define BEANSTALK_H

#include <stdint.h>

/* Bytes of a line, its end included. */
#define LINE_MAX_BYTES	224

enum verb {
	VERB_PUT,
	VERB_PUT_AT,
	VERB_PUT_KEY,
	VERB_PEEK,
	VERB_PEEK_READY,
	VERB_PEEK_DELAYED,
	VERB_PEEK_BURIED,
	VERB_PEEK_KEY,
	VERB_RESERVE,
	VERB_RESERVE_WITH_TIMEOUT,
	VERB_RESERVE_JOB,
	VERB_DELETE,
	VERB_DELETE_KEY,
	VERB_RELEASE,
	VERB_BURY,
	VERB_TOUCH,
	VERB_USE,
	VERB_WATCH,
	VERB_IGNORE,
	VERB_KICK,
	VERB_KICK_JOB,
	VERB_STATS,
	VERB_STATS_JOB,
	VERB_STATS_TUBE,
	VERB_LIST_TUBES,
	VERB_LIST_TUBE_USED,
	VERB_LIST_TUBES_WATCHED,
	VERB_PAUSE_TUBE,
	VERB_QUIT,
	VERB_COUNT,
};

const char *verb_name(enum verb verb);

/**
 * struct command - what a line asks for
 * @verb: what is to be done
 * @id: i: of a job
 * @pri: p: priority
 * @delay: d: ms
 * @at: a: ms since 1970
 * @ttr: t: ms, at least 1
 * @bytes: b: of the body that follows
 * @bound: k: so many at most
 * @name: n: of a tube; y: key of a job; in the line
 */
struct command {
	enum verb verb;
	uint64_t id;
	uint32_t pri;
	uint64_t delay;
	uint64_t at;
	uint64_t ttr;
	uint32_t bytes;
	uint64_t bound;
	const char *name;
};

/*
 * @line: without its end, which is a 0; it is taken to pieces. @length: its
 * length, as it may have a 0 in it. NULL, or the answer that it deserves.
 */
const char *beanstalk_parse(struct command *command, char *line,
			    unsigned int length);

#endif
