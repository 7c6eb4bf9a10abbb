// SPDX-License-Identifier: MIT
/*
 * wheelctl: look into /dev/wheel, put it to the test, run commands by it.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "commands.h"
#include "fail.h"
#include "help.h"
#include "options.h"
#include "wheelctl.h"

/*
 * A program may be started without the usual three descriptors. Nothing that it opens may
 * then take their place, and writing to stdout still has to fail. It also has to hear of its
 * own children's ends, even if its parent ignored SIGCHLD.
 */
static void settle_in(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
	signal(SIGCHLD, SIG_DFL);
}

int main(int argc, char **argv)
{
	const struct command *command;
	int status;
	int at;

	settle_in();
	at = options_take_globals(argc, argv);
	if (at == argc && globals.help) {
		help_all();
		flush_or_fail();
		return 0;
	}
	if (at == argc && globals.version) {
		help_version();
		flush_or_fail();
		return 0;
	}
	if (at == argc)
		fail(EXIT_ASKED, "needs a command; see wheelctl --help");
	command = command_named(argv[at]);
	status = command->run(options_take(command, argc - at, argv + at));
	flush_or_fail();
	return status;
}
