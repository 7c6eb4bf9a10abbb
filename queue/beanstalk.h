/* SPDX-License-Identifier: MIT */
/*
 * Parser for the commands of the protocol.
 */
#ifndef BEANSTALK_H
#define BEANSTALK_H

#include <stdbool.h>
#include <stdint.h>

/* Limit on the length of a line, including its end. */
#define LINE_MAX_BYTES	224

/* Parts of a cursor. */
#define COMMAND_CURSOR	4

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
	VERB_CLEAR_JOBS,
	VERB_STATS,
	VERB_STATS_JOB,
	VERB_STATS_TUBE,
	VERB_LIST_JOBS,
	VERB_LIST_TUBES,
	VERB_LIST_TUBE_USED,
	VERB_LIST_TUBES_WATCHED,
	VERB_PAUSE_TUBE,
	VERB_LIMIT_TUBE,
	VERB_QUIT,
	VERB_COUNT,
};

/**
 * enum verb_flag - properties of a command
 * @OF_USED: concerns the used tube
 * @OF_NAME: concerns the tube that it names
 * @IF_LOST: is also run while the store is lost
 */
enum verb_flag {
	OF_USED = 1,
	OF_NAME = 2,
	IF_LOST = 4,
};

const char *verb_name(enum verb verb);
bool verb_has(enum verb verb, enum verb_flag flag);

/**
 * struct command - a parsed command; the letters are those of struct verb_kind
 * @verb: the kind of command
 * @id: (i) id of a job
 * @pri: (p) priority
 * @delay: (d) delay in ms
 * @at: (a) due time in ms since 1970
 * @ttr: (t) time to run in ms, at least 1
 * @bytes: (b) size of the body that follows
 * @state: (s) state of jobs
 * @cursor: (c) a position, whose parts are separated by points
 * @most: (m) limit on the sum of delays in ms, 0: none; may be left out
 * @bound: (k) limit on the number of jobs
 * @name: (n) name of a tube, or (y) key of a job; points into the line
 */
struct command {
	enum verb verb;
	uint64_t id;
	uint32_t pri;
	uint64_t delay;
	uint64_t at;
	uint64_t ttr;
	uint32_t bytes;
	unsigned int state;
	uint64_t cursor[COMMAND_CURSOR];
	uint64_t most;
	uint64_t bound;
	const char *name;
};

/*
 * Parse a line without its end. The line is modified. @length is its length, because it may
 * contain a 0. Return: NULL, or the response to an invalid line.
 */
const char *beanstalk_parse(struct command *command, char *line,
			    unsigned int length);

/* The name of the tube that a command concerns, or NULL; @used is the one that its client uses. */
const char *command_tube(const struct command *command, const char *used);
/* Return: true if the command is about the job with its id. */
bool command_has_id(const struct command *command);

#endif
