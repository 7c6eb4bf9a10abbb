// SPDX-License-Identifier: MIT
/*
 * wheelq: a durable queue for delayed jobs.
 */
#include <sys/stat.h>

#include "options.h"
#include "server.h"

int main(int argc, char **argv)
{
	struct server_options options;
	struct server server;

	/* Bodies may be secret: files are readable only by their owner. */
	umask(077);
	options_read(&options, argc, argv);
	serve(&server, &options);
	return 0;
}
