// SPDX-License-Identifier: MIT
/*
 * Ctrl-C: the first one asks for what there is, the second one ends it.
 */
#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fail.h"
#include "wheelctl.h"

static void ask_for(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
}

/**
 * interrupt_open - have SIGINT and SIGTERM make a descriptor readable
 *
 * Return: the descriptor.
 */
int interrupt_open(void)
{
	sigset_t signals;
	int fd;

	ask_for(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		fail(EXIT_DEVICE, "signalfd: %s", strerror(errno));
	return fd;
}

/**
 * interrupt_seen - was there one? From then on another one kills.
 * @fd: of interrupt_open(), or -1: there is none
 *
 * Return: 0, or 128 + the signal's number, to exit with.
 */
int interrupt_seen(int fd)
{
	struct signalfd_siginfo info;
	sigset_t signals;

	if (fd < 0 || read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	ask_for(&signals);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	return 128 + (int)info.ssi_signo;
}
