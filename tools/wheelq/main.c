// SPDX-License-Identifier: MIT
/*
 * wheelq: delayed work that survives.
 */
#include <sys/stat.h>

#include "fail.h"
#include "options.h"
#include "serve.h"
#include "version.h"

int main(int argc, char **argv)
{
	struct server_options options;
	struct server server;

	/* Bodies may be secret: what is made here is its owner's alone. */
	umask(077);
	options_read(&options, argc, argv);
	serve(&server, &options);
	return 0;
}
