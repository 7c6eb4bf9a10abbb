// SPDX-License-Identifier: GPL-2.0
/*
 * Hostile callers: random structs, buffers that change or are inaccessible, and several
 * threads at once. Each call returns a documented errno, and the counters remain consistent.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "wheel_test.h"

#define TIMERS	128
#define TURNS	2000
#define THREADS	3
#define ROOM	(64 * 1024)
/* Number of operations at the start of the buffer. */
#define OPS	64

FIXTURE(wheel) {
	int fd;
	long refs;
	__u64 seed;
};

FIXTURE_SETUP(wheel)
{
	self->seed = wt_seed();
	self->refs = wt_module_refs();
	self->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static bool in_contract(int ret)
{
	static const int answers[] = {
		0, EINVAL, E2BIG, ENOTTY, EFAULT, ENOMEM, EINTR, ENOENT, EBUSY,
		ESTALE, ERANGE, EDQUOT, ESHUTDOWN, EAGAIN, EPERM, EOPNOTSUPP,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(answers); i++)
		if (ret == -answers[i])
			return true;
	return false;
}

/* Random bytes, of which many are 0 and some are 0xff. */
static void scramble(void *to, size_t n, __u64 *seed)
{
	unsigned char *byte = to;

	while (n--) {
		__u64 bits = wt_random(seed);

		*byte++ = bits & 1 || bits & 2 ? 0 : bits & 4 ? 0xff :
			bits >> 8;
	}
}

/* Usually the address of an operation, else within the buffer, at its end, or random. */
static __u64 some_address(char *room, __u64 *seed)
{
	switch (wt_below(seed, 16)) {
	case 0:
		return wt_random(seed);
	case 1:
		return wt_addr(room + ROOM) - wt_below(seed, 200);
	case 2:
		return wt_addr(room) + wt_below(seed, ROOM / 2);
	default:
		return wt_addr(room) + 64 * wt_below(seed, OPS);
	}
}

/* A command with a mostly valid struct. */
static int garbage_call(int fd, char *room, bool may_stop, __u64 *seed)
{
	static const __u32 sizes[] = {
		sizeof(struct wheel_setup), sizeof(struct wheel_setup),
		sizeof(struct wheel_submit), sizeof(struct wheel_list),
		sizeof(struct wheel_stop), sizeof(struct wheel_stats),
		sizeof(struct wheel_advance),
	};
	__u32 nr = wt_below(seed, ARRAY_SIZE(sizes));
	struct wheel_submit *submit;
	char arg[1024];

	/* STOP is final, so it is not issued too early. */
	if (nr == 4 && !may_stop)
		nr = 2;
	memset(arg, 0, sizeof(arg));
	scramble(arg, wt_below(seed, 8) ? 64 : sizeof(arg), seed);
	if (wt_below(seed, 8))
		memset(arg, 0, 8);
	if (wt_below(seed, 8))
		memcpy(arg, &sizes[nr], 4);
	submit = (struct wheel_submit *)arg;
	if (nr == 2 || nr == 3) {
		submit->ops = some_address(room, seed);
		submit->count = wt_below(seed, OPS);
		/* A larger stride could skip the inaccessible page and reach memory of the test. */
		submit->op_size = wt_below(seed, 8) ? 64 :
			wt_below(seed, 4096);
	}
	return wt_ioctl(fd, wt_below(seed, 64) ? _IO(WHEEL_IOC_TYPE, nr) :
			wt_random(seed) & 0xffffffff,
			wt_below(seed, 32) ? arg : NULL);
}

/* Mostly valid operations, with generations from @gen. */
static void garbage_ops(char *room, __u64 gen, __u64 *seed)
{
	struct wheel_op op;
	size_t i;

	for (i = 0; i < OPS; i++) {
		scramble(&op, sizeof(op), seed);
		if (wt_below(seed, 8))
			op.op = 1 + wt_below(seed, 4);
		if (wt_below(seed, 8))
			op.id = WHEEL_ID(wt_below(seed, TIMERS),
					 gen + wt_below(seed, 3));
		if (wt_below(seed, 8))
			memset(op.reserved, 0, sizeof(op.reserved));
		op.flags = wt_below(seed, 8) ? op.flags & WHEEL_OP_REL :
			op.flags;
		if (wt_below(seed, 4))
			op.period = 0;
		if (wt_below(seed, 4))
			op.slack = 0;
		memcpy(room + 64 * i, &op, sizeof(op));
	}
}

struct hostile {
	pthread_t thread;
	int fd;
	char *room;
	__u64 seed;
	int bad;
	/* Set to end the thread that modifies the buffer. */
	atomic_bool *stop;
};

static void *abuse(void *arg)
{
	struct hostile *h = arg;
	int i, ret;

	for (i = 0; i < TURNS && !h->bad; i++) {
		if (i % 16 == 0)
			garbage_ops(h->room, 1 + i / 64, &h->seed);
		if (wt_below(&h->seed, 8)) {
			ret = garbage_call(h->fd, h->room, i > TURNS - 50,
					   &h->seed);
		} else {
			ret = read(h->fd,
				   h->room + wt_below(&h->seed, ROOM + 4096),
				   wt_below(&h->seed, 1024));
			ret = ret < 0 ? -errno : ret % 48;
		}
		if (!in_contract(ret))
			h->bad = ret;
	}
	return NULL;
}

static void *scribble(void *arg)
{
	struct hostile *h = arg;

	__u64 i;

	for (i = 0; !atomic_load(h->stop); i++)
		garbage_ops(h->room, 1 + i / 64, &h->seed);
	return NULL;
}

static char *make_room(void)
{
	char *room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || mprotect(room + ROOM, 4096, PROT_NONE))
		abort();
	return room;
}

/* Check that the wheel is consistent, and that enough operations succeeded. */
static bool sane(int fd)
{
	struct wheel_stats stats;

	return !wt_stats(fd, &stats) && wt_balanced(&stats) &&
		stats.armed > 100 && stats.pending <= TIMERS && stats.unread <= TIMERS;
}

/* Three threads use one wheel and one buffer while a fourth modifies the buffer. */
WT_TEST(wheel, garbage_from_many)
{
	struct hostile h[THREADS + 1];
	atomic_bool stop = false;
	char *room = make_room();
	int i;

	for (i = 0; i <= THREADS; i++) {
		h[i] = (struct hostile){
			.fd = self->fd, .room = room, .stop = &stop,
			.seed = wt_random(&self->seed),
		};
		ASSERT_EQ(0, pthread_create(&h[i].thread, NULL,
					    i < THREADS ? abuse : scribble,
					    &h[i]));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(h[i].thread, NULL));
		EXPECT_EQ(0, h[i].bad);
	}
	atomic_store(&stop, true);
	ASSERT_EQ(0, pthread_join(h[THREADS].thread, NULL));
	EXPECT_TRUE(sane(self->fd));
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(self->refs, wt_module_refs());
}

TEST_HARNESS_MAIN
