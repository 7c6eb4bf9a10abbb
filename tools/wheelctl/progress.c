// SPDX-License-Identifier: MIT
/*
 * How far a long run is, on stderr.
 */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

#define ERASE_LINE	"\r\033[K"

/* Is stderr a terminal, and one that can erase a line? */
static bool can_erase(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && terminal && *terminal &&
	       strcmp(terminal, "dumb");
}

void progress_begin(struct progress *p, u64 total)
{
	memset(p, 0, sizeof(*p));
	p->total = total;
	p->terminal = can_erase();
}

/**
 * progress_step - say it once a second, or each tenth where nothing is erased
 * @p: progress
 * @done: of the total
 * @now: a clock
 * @behind: how late the last operation was
 */
void progress_step(struct progress *p, u64 done, u64 now, u64 behind)
{
	u64 tenths = done * 10 / p->total;

	if (p->terminal ? now - p->said < NSEC_PER_SEC : tenths == p->tenths)
		return;
	p->said = now;
	p->tenths = tenths;
	fprintf(stderr, "%s%3llu %%  %s of %s operations, behind by %s%s",
		p->terminal ? ERASE_LINE : "", done * 100 / p->total,
		text_count(done).s, text_count(p->total).s, text_time(behind).s,
		p->terminal ? "" : "\n");
}

void progress_end(struct progress *p)
{
	if (p->terminal)
		fputs(ERASE_LINE, stderr);
}
