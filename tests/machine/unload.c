// SPDX-License-Identifier: GPL-2.0
/*
 * unload MODULE.ko ROUNDS: unload and load the module while programs open its device, map it,
 * wait for events in poll() and read(), and close and unmap it in any order, or are killed.
 * Unloading must fail while a wheel exists, and succeed otherwise. Prints the counts of both.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/wheel_timer.h>

#define USERS	4
#define TIMERS	64
#define NOBODY	65534

/* Results, shared by all processes. */
static struct counts {
	unsigned long	lives;
	unsigned long	events;
	unsigned long	wrong;
} *counts;

static void count(unsigned long *counter, unsigned long by)
{
	__atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
}

/* All timers are periodic, so events arrive until the end. */
static int arm_all(int fd)
{
	struct wheel_op ops[TIMERS] = {};
	struct wheel_submit batch = {
		.size = sizeof(batch), .ops = (unsigned long)ops,
		.op_size = sizeof(ops[0]), .count = TIMERS,
	};
	unsigned int i;

	for (i = 0; i < TIMERS; i++)
		ops[i] = (struct wheel_op){
			.op = WHEEL_OP_ARM, .flags = WHEEL_OP_REL,
			.id = WHEEL_ID(i, 1), .when = 10000 * i, .period = 300000,
		};
	return ioctl(fd, WHEEL_IOC_SUBMIT, &batch) ? -1 : (int)batch.failed;
}

static void take_events(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct wheel_event events[16];
	ssize_t got;

	if (poll(&poll_fd, 1, 1000) != 1)
		return;
	got = read(fd, events, sizeof(events));
	if (got > 0)
		count(&counts->events, got / sizeof(events[0]));
}

/* Use a wheel for a random time. */
static void live(void)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .tick_ns = 100000, .timers = TIMERS,
		.flags = WHEEL_SETUP_WORDS,
	};
	int fd = open("/dev/wheel", O_RDWR), rounds = random() % 8;
	void *words;

	/* The module is being loaded or unloaded. */
	if (fd < 0)
		return;
	count(&counts->lives, 1);
	if (ioctl(fd, WHEEL_IOC_SETUP, &setup) || arm_all(fd))
		count(&counts->wrong, 1);
	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, WHEEL_OFF_WORDS);
	if (words == MAP_FAILED)
		count(&counts->wrong, 1);
	while (rounds--)
		take_events(fd);
	if (random() % 4 == 0)
		raise(SIGKILL);
	/* For a moment, only the mapping or only the file holds a reference to the module. */
	if (random() % 2) {
		close(fd);
		munmap(words, 4096);
	} else {
		munmap(words, 4096);
		close(fd);
	}
}

/*
 * Some users are unprivileged. The account of such a user may still be throttled when its last
 * file is closed, so the module may be unloaded in this state.
 */
static void use(int user)
{
	if (user % 2 && setuid(NOBODY))
		count(&counts->wrong, 1);
	srandom(user);
	for (;;) {
		live();
		usleep(random() % 20000);
	}
}

static pid_t spawn(int user)
{
	pid_t pid = fork();

	if (!pid)
		use(user);
	return pid;
}

static void insert(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST) {
		perror("insert");
		exit(1);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long goes = 0, stays = 0, rounds = argc > 2 ? atol(argv[2]) : 100;
	pid_t users[USERS];
	int i;

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc < 2 || counts == MAP_FAILED)
		return 2;
	insert(argv[1]);
	for (i = 0; i < USERS; i++)
		users[i] = spawn(i);
	while (goes < rounds || !stays || !counts->events) {
		if (!syscall(SYS_delete_module, "wheel_timer", O_NONBLOCK)) {
			goes++;
			insert(argv[1]);
		} else if (errno == EWOULDBLOCK || errno == EBUSY) {
			stays++;
		} else {
			perror("unload");
			return 1;
		}
		for (i = 0; i < USERS; i++)
			if (waitpid(users[i], NULL, WNOHANG) == users[i])
				users[i] = spawn(i + goes);
	}
	for (i = 0; i < USERS; i++) {
		kill(users[i], SIGKILL);
		waitpid(users[i], NULL, 0);
	}
	printf("unloaded %lu times, refused %lu times; %lu files, %lu events, %lu wrong\n",
	       goes, stays, counts->lives, counts->events, counts->wrong);
	return counts->wrong || syscall(SYS_delete_module, "wheel_timer", O_NONBLOCK);
}
