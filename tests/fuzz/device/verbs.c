// SPDX-License-Identifier: GPL-2.0
/*
 * Executes a program in a process: its files, their mappings, and a buffer for all arguments of
 * system calls. The buffer is below 4 GiB, so that 32-bit system calls can use it. A step for a
 * file or mapping that does not exist does nothing. The results of each call are checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/wheel_timer.h>

#include "../../selftests/wheel_machine.h"
#include "verbs.h"

#define ROOM	(64 * 1024)
#define OPS	256
#define EVENTS	64
#define NOBODY	65534

/* Numbers of 32-bit system calls. */
#define READ_32		3
#define IOCTL_32	54

/* The mappings of a file; steps refer to them by index. */
static const struct {
	off_t offset;
	int prot;
} areas[] = {
	{ WHEEL_OFF_KERNEL, PROT_READ },
	{ WHEEL_OFF_USER, PROT_READ | PROT_WRITE },
	{ WHEEL_OFF_EVENTS, PROT_READ },
	{ WHEEL_OFF_WORDS, PROT_READ | PROT_WRITE },
	{ WHEEL_OFF_BELLS, PROT_READ | PROT_WRITE },
	{ WHEEL_OFF_SUMMARY, PROT_READ | PROT_WRITE },
};

#define AREAS		6
#define AREA_USER	1
#define AREA_WORDS	3
#define AREA_BELLS	4
#define AREA_SUMMARY	5

/* State of the process: files, mappings, and the mode of system calls. */
static struct {
	int fd[FILES];
	__u64 *map[FILES][AREAS];
	size_t len[FILES][AREAS];
	char *room;
	bool narrow;
	bool forked;
} self;

static void __attribute__((format(printf, 1, 2), noreturn)) broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(EXIT_BROKEN);
}

/* Make a 32-bit system call. */
static long call_32(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret) : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static long do_ioctl(int fd, unsigned long cmd, void *arg)
{
	if (self.narrow)
		return (int)call_32(IOCTL_32, fd, cmd, (long)arg);
	return result(ioctl(fd, cmd, arg));
}

static long do_read(int fd, void *to, size_t len)
{
	if (self.narrow)
		return (int)call_32(READ_32, fd, (long)to, len);
	return result(read(fd, to, len));
}

/* Check that the errno of a failed call is one of those in the ABI. */
static long checked(const char *what, long ret)
{
	static const int answers[] = {
		EINVAL, E2BIG, ENOTTY, EFAULT, ENOMEM, EINTR, ENOENT, EBUSY, ESTALE, ERANGE,
		EDQUOT, ESHUTDOWN, EAGAIN, EPERM, EOPNOTSUPP,
	};
	unsigned int i;

	if (ret >= 0)
		return ret;
	for (i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (ret == -answers[i])
			return ret;
	broken("%s: errno %ld is not in the ABI", what, -ret);
}

static long command(const struct step *step, const char *what, unsigned long cmd, void *arg)
{
	return checked(what, do_ioctl(self.fd[step->file], cmd, arg));
}

static bool is_open(const struct step *step)
{
	return self.fd[step->file] >= 0;
}

static void unmap_area(unsigned int file, unsigned int area)
{
	if (self.map[file][area])
		munmap(self.map[file][area], self.len[file][area]);
	self.map[file][area] = NULL;
}

/* open FILE blocks */
static void run_open(const struct step *step)
{
	int flags = O_RDWR | O_CLOEXEC | (step->number[0] & 1 ? 0 : O_NONBLOCK);

	if (!is_open(step))
		self.fd[step->file] = open("/dev/wheel", flags);
}

/* close FILE: keep its mappings */
static void run_close(const struct step *step)
{
	if (is_open(step))
		close(self.fd[step->file]);
	self.fd[step->file] = -1;
}

/* dup FILE to */
static void run_dup(const struct step *step)
{
	unsigned int to = step->number[0] % FILES;

	if (is_open(step) && self.fd[to] < 0)
		self.fd[to] = dup(self.fd[step->file]);
}

/* setup FILE flags clock scheme timers buckets events tick */
static void run_setup(const struct step *step)
{
	struct wheel_setup *setup = (void *)self.room;

	*setup = (struct wheel_setup){
		.size = sizeof(*setup), .flags = step->number[0], .clock = step->number[1],
		.scheme = step->number[2], .timers = step->number[3],
		.buckets = step->number[4], .events = step->number[5],
		.tick_ns = step->number[6],
	};
	if (is_open(step))
		command(step, "SETUP", WHEEL_IOC_SETUP, setup);
}

/* info FILE flags */
static void run_info(const struct step *step)
{
	struct wheel_setup *setup = (void *)self.room;

	*setup = (struct wheel_setup){ .size = sizeof(*setup), .flags = step->number[0] };
	if (is_open(step))
		command(step, "INFO", WHEEL_IOC_INFO, setup);
}

/* submit FILE op flags slot generation when slack period copies: in consecutive slots */
static void run_submit(const struct step *step)
{
	struct wheel_submit *submit = (void *)self.room;
	struct wheel_op *ops = (void *)(submit + 1);
	__u32 i, count = step->number[7] % OPS + 1;

	for (i = 0; i < count; i++)
		ops[i] = (struct wheel_op){
			.op = step->number[0], .flags = step->number[1],
			.id = WHEEL_ID(step->number[2] + i, step->number[3]),
			.when = step->number[4], .slack = step->number[5],
			.period = step->number[6], .cookie = i,
		};
	*submit = (struct wheel_submit){
		.size = sizeof(*submit), .ops = (unsigned long)ops,
		.op_size = sizeof(*ops), .count = count,
	};
	if (is_open(step) && !command(step, "SUBMIT", WHEEL_IOC_SUBMIT, submit))
		for (i = 0; i < count; i++)
			if (ops[i].res != 1)
				checked("an operation", ops[i].res);
}

/* list FILE flags count cursor op_size */
static void run_list(const struct step *step)
{
	struct wheel_list *list = (void *)self.room;

	*list = (struct wheel_list){
		.size = sizeof(*list), .flags = step->number[0],
		.timers = (unsigned long)(list + 1), .count = step->number[1],
		.cursor = step->number[2], .op_size = sizeof(struct wheel_op) + step->number[3],
	};
	if (is_open(step) && !command(step, "LIST", WHEEL_IOC_LIST, list) &&
	    list->done > list->count)
		broken("LIST: %u of %u entries are filled", list->done, list->count);
}

/* stop FILE flags */
static void run_stop(const struct step *step)
{
	struct wheel_stop *stop = (void *)self.room;

	*stop = (struct wheel_stop){ .size = sizeof(*stop), .flags = step->number[0] };
	if (is_open(step))
		command(step, "STOP", WHEEL_IOC_STOP, stop);
}

/* stats FILE flags */
static void run_stats(const struct step *step)
{
	struct wheel_stats *stats = (void *)self.room;

	*stats = (struct wheel_stats){ .size = sizeof(*stats), .flags = step->number[0] };
	if (is_open(step) && !command(step, "STATS", WHEEL_IOC_STATS, stats) &&
	    stats->armed != stats->fired + stats->cancelled + stats->pending)
		broken("STATS: armed %llu, fired %llu, cancelled %llu, pending %llu",
		       stats->armed, stats->fired, stats->cancelled, stats->pending);
}

/* advance FILE now flags */
static void run_advance(const struct step *step)
{
	struct wheel_advance *advance = (void *)self.room;

	*advance = (struct wheel_advance){
		.size = sizeof(*advance), .now = step->number[0], .flags = step->number[1],
	};
	if (is_open(step) && !command(step, "ADVANCE", WHEEL_IOC_ADVANCE, advance) &&
	    advance->now < step->number[0])
		broken("ADVANCE: the clock is at %llu, not at %llu", advance->now,
		       step->number[0]);
}

/* enter FILE flags wait until */
static void run_enter(const struct step *step)
{
	struct wheel_enter *enter = (void *)self.room;

	*enter = (struct wheel_enter){
		.size = sizeof(*enter), .flags = step->number[0], .wait = step->number[1],
		.until = step->number[2],
	};
	if (is_open(step))
		command(step, "ENTER", WHEEL_IOC_ENTER, enter);
}

/* raw FILE command size at value: zeroes, except for the size and one 32-bit word */
static void run_raw(const struct step *step)
{
	__u32 *word = (void *)self.room;
	__u64 cmd = step->number[0];

	memset(word, 0, 8192);
	word[0] = step->number[1];
	word[step->number[2] % 2048] = step->number[3];
	if (is_open(step))
		command(step, "ioctl", cmd < 16 ? _IO(WHEEL_IOC_TYPE, cmd) : cmd, word);
}

/* read FILE bytes at: offset in the buffer, whose end is unmapped */
static void run_read(const struct step *step)
{
	struct wheel_event *events = (void *)(self.room + step->number[1] % ROOM);
	size_t len = step->number[0] % (EVENTS * sizeof(*events));
	long i, got;

	if (!is_open(step))
		return;
	got = checked("read", do_read(self.fd[step->file], events, len));
	if (got > 0 && got % sizeof(*events))
		broken("read: %ld bytes are no whole events", got);
	for (i = 0; i < got / (long)sizeof(*events); i++)
		if (events[i].fired < events[i].deadline)
			broken("read: due at %llu, fired at %llu", events[i].deadline,
			       events[i].fired);
}

/* poll FILE */
static void run_poll(const struct step *step)
{
	struct pollfd look = { .fd = self.fd[step->file], .events = POLLIN };

	poll(&look, 1, 0);
}

/* map FILE area prot pages flags: additional pages, and changed protection and flags */
static void run_map(const struct step *step)
{
	unsigned int area = step->number[0] % AREAS;
	struct wheel_setup *setup = (void *)self.room;
	size_t len = 1;
	void *map;

	*setup = (struct wheel_setup){ .size = sizeof(*setup) };
	if (!is_open(step) || command(step, "INFO", WHEEL_IOC_INFO, setup))
		return;
	if (areas[area].offset == WHEEL_OFF_EVENTS)
		len = setup->events * sizeof(struct wheel_event);
	else if (area == AREA_WORDS)
		len = setup->timers * 8UL;
	else if (area == AREA_BELLS)
		len = setup->timers / 8;
	else if (area == AREA_SUMMARY)
		len = setup->timers / 512;
	len = (len / 4096 + !!(len % 4096) + !len + step->number[2] % 4) * 4096;
	map = mmap(NULL, len, areas[area].prot ^ (step->number[1] & 7),
		   step->number[3] & 1 ? MAP_PRIVATE : MAP_SHARED, self.fd[step->file],
		   areas[area].offset);
	if (map == MAP_FAILED)
		return;
	unmap_area(step->file, area);
	self.map[step->file][area] = map;
	self.len[step->file][area] = len;
}

/* unmap FILE area */
static void run_unmap(const struct step *step)
{
	unmap_area(step->file, step->number[0] % AREAS);
}

/* Returns a word of a writable mapping, or NULL. */
static __u64 *word_of(unsigned int file, unsigned int area, __u64 at)
{
	__u64 *map = self.map[file][area];

	return map ? &map[at % (self.len[file][area] / sizeof(*map))] : NULL;
}

/* word FILE slot value scribbles: by compare-and-swap, or by a store, which is an error */
static void run_word(const struct step *step)
{
	__u64 *word = word_of(step->file, AREA_WORDS, step->number[0]);
	__u64 old;

	if (!word)
		return;
	old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	if (step->number[2] & 1)
		__atomic_store_n(word, step->number[1], __ATOMIC_RELEASE);
	else
		__atomic_compare_exchange_n(word, &old, step->number[1], false,
					    __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
}

static void set_bit(__u64 *word, __u64 bit)
{
	if (word)
		__atomic_fetch_or(word, 1ULL << bit % 64, __ATOMIC_SEQ_CST);
}

/* ring FILE slot */
static void run_ring(const struct step *step)
{
	__u64 slot = step->number[0];

	set_bit(word_of(step->file, AREA_BELLS, slot / 64), slot);
	set_bit(word_of(step->file, AREA_SUMMARY, slot / 4096), slot / 64);
}

/* take FILE head: set the head of the ring */
static void run_take(const struct step *step)
{
	__u64 *user = word_of(step->file, AREA_USER, 0);

	if (user)
		__atomic_store_n((__u32 *)user, step->number[0], __ATOMIC_RELEASE);
}

/* narrow FILE: switch between 64-bit and 32-bit system calls */
static void run_narrow(const struct step *step)
{
	(void)step;
	self.narrow = !self.narrow;
}

/* wait FILE microseconds */
static void run_wait(const struct step *step)
{
	wt_let_pass((1 + step->number[0] % 2000) * WT_US);
}

/* drop FILE: drop all privileges */
static void run_drop(const struct step *step)
{
	(void)step;
	if (!setgid(NOBODY) && setuid(NOBODY))
		abort();
}

/* fork FILE: execute the remaining steps in two processes */
static void run_fork(const struct step *step)
{
	(void)step;
	if (!self.forked && fork() >= 0)
		self.forked = true;
}

#define FAR	(100 * WT_MS)

const struct verb verbs[] = {
	{ "open", run_open, { 1 } },
	{ "close", run_close, {} },
	{ "dup", run_dup, { FILES - 1 } },
	{ "setup", run_setup, { 3, 4, 3, 8192, 1024, 512, WT_MS } },
	{ "info", run_info, { 3 } },
	{ "submit", run_submit, { 4, 7, 4200, 4, FAR, WT_MS, 2 * WT_MS, OPS - 1 } },
	{ "submit", run_submit, { 4, 7, 4, 4, 4 * WT_MS, 0, 2 * WT_MS, 2 } },
	{ "list", run_list, { 1, 300, 64, 64 } },
	{ "stop", run_stop, { 0 } },
	{ "stats", run_stats, { 0 } },
	{ "advance", run_advance, { FAR } },
	{ "enter", run_enter, { 1, 8, FAR } },
	{ "raw", run_raw, { 8, 4096, 20, 64 } },
	{ "read", run_read, { EVENTS * sizeof(struct wheel_event) - 1, ROOM } },
	{ "poll", run_poll, {} },
	{ "map", run_map, { AREAS - 1 } },
	{ "map", run_map, { AREAS - 1, 7, 3, 1 } },
	{ "unmap", run_unmap, { AREAS - 1 } },
	{ "word", run_word, { 64, FAR, 1 } },
	{ "ring", run_ring, { 64 } },
	{ "take", run_take, { 512 } },
	{ "narrow", run_narrow, {} },
	{ "wait", run_wait, { 2000 } },
	{ "drop", run_drop, {} },
	{ "fork", run_fork, {} },
};

const unsigned int verb_count = sizeof(verbs) / sizeof(*verbs);

/**
 * verbs_begin() - Initialize the state of a process
 */
void verbs_begin(void)
{
	int i;

	for (i = 0; i < FILES; i++)
		self.fd[i] = -1;
	self.room = mmap(NULL, ROOM + 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (self.room == MAP_FAILED || mprotect(self.room + ROOM, 8192, PROT_NONE))
		abort();
}

/**
 * verbs_run() - Execute a program
 * @p: program
 */
void verbs_run(const struct program *p)
{
	unsigned int i;

	for (i = 0; i < p->steps; i++)
		verbs[p->step[i].verb].run(&p->step[i]);
}
