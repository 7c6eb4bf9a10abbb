// SPDX-License-Identifier: MIT
/*
 * wheelq: a durable queue for delayed jobs.
 */
#include <malloc.h>
#include <sys/stat.h>

#include "options.h"
#include "server.h"
#include "shards.h"

/* Freed buffers up to this size are used again, because new ones cost a page fault per page. */
#define KEPT_BYTES	(4 << 20)

int main(int argc, char **argv)
{
	struct server_options options;

	/* Bodies may be secret: files are readable only by their owner. */
	umask(077);
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	options_read(&options, argc, argv);
	if (options.shards)
		shards_serve(&options);
	serve(&options);
	return 0;
}
