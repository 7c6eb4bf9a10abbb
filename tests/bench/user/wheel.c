// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/wheel: batches of operations, and expiries through read() or the ring. Also libwheel's user
 * backend, which runs the same operations without the module.
 */
#include <fcntl.h>
#include <libwheel.h>
#include <linux/wheel_timer.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contestant.h"
#include "machine.h"

/* NULL: /dev/wheel. */
static struct libwheel *user;
static int fd;
static int epoll = -1;
static __u64 *ids;
static size_t ids_size;
static struct wheel_op ops[MOST_BATCH];
static struct wheel_event events[MOST_BATCH];

static const struct wheel_kernel_page *kernel_page;
static struct wheel_user_page *user_page;
static const struct wheel_event *entries;
static __u32 head;

static const void *map_read(size_t size, off_t offset)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd,
			 offset);

	if (map == MAP_FAILED)
		die("mmap of the ring");
	return map;
}

static void map_ring(void)
{
	kernel_page = map_read(sizeof(*kernel_page), WHEEL_OFF_KERNEL);
	entries = map_read(MOST_WINDOW * sizeof(*entries), WHEEL_OFF_EVENTS);
	user_page = mmap(NULL, sizeof(*user_page), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, fd, WHEEL_OFF_USER);
	if (user_page == MAP_FAILED)
		die("mmap of the ring");
	head = 0;
}

static void watch(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll");
}

static void make_ids(__u32 count)
{
	__u32 i;

	ids_size = count * sizeof(*ids);
	ids = allocate(ids_size);
	for (i = 0; i < count; i++)
		ids[i] = WHEEL_ID(i, 0);
}

static void open_wheel(__u32 scheme, __u32 count, unsigned int with)
{
	struct wheel_setup setup = {
		.size	= sizeof(setup),
		.scheme	= scheme,
		.timers	= count,
		.events	= with & WITH_RING ? MOST_WINDOW : 0,
	};

	fd = open("/dev/wheel", O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die("/dev/wheel");
	if (ioctl(fd, WHEEL_IOC_SETUP, &setup))
		die("WHEEL_IOC_SETUP");
	make_ids(count);
	if (with & WITH_RING)
		map_ring();
	if (with & (WITH_EPOLL | WITH_WAIT))
		watch();
}

static void open_library(__u32 count, unsigned int with)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER,
		.scheme = WHEEL_HIERARCHICAL, .timers = count,
	};

	if (libwheel_open(&user, &options))
		die("libwheel_open");
	fd = libwheel_fd(user);
	make_ids(count);
	if (with & (WITH_EPOLL | WITH_WAIT))
		watch();
}

static void open_hashed(__u32 count, unsigned int with)
{
	open_wheel(WHEEL_HASHED, count, with);
}

static void open_hierarchical(__u32 count, unsigned int with)
{
	open_wheel(WHEEL_HIERARCHICAL, count, with);
}

static void close_wheel(void)
{
	if (user_page) {
		munmap((void *)kernel_page, sizeof(*kernel_page));
		munmap((void *)entries, MOST_WINDOW * sizeof(*entries));
		munmap(user_page, sizeof(*user_page));
	}
	if (epoll >= 0)
		close(epoll);
	epoll = -1;
	user_page = NULL;
	munmap(ids, ids_size);
	if (user)
		libwheel_close(user);
	else
		close(fd);
	user = NULL;
}

static void submit(__u32 count)
{
	struct wheel_submit submit = {
		.size		= sizeof(submit),
		.ops		= (__u64)ops,
		.op_size	= sizeof(*ops),
		.count		= count,
	};

	if (user ? libwheel_submit(user, ops, count, NULL) :
		   ioctl(fd, WHEEL_IOC_SUBMIT, &submit) || submit.failed)
		die("WHEEL_IOC_SUBMIT");
}

/* Each arm uses the next generation of its slot. */
static inline void submit_arms(const __u32 *timers, const __u64 *deadlines, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		struct wheel_op *op = &ops[i];

		op->op = WHEEL_OP_ARM;
		op->flags = 0;
		op->id = ids[timers[i]] += WHEEL_ID(0, 1);
		op->when = deadlines[i];
		op->slack = 0;
		op->period = 0;
		op->cookie = timers[i];
	}
	submit(n);
}

static inline void submit_others(__u32 what, const __u32 *timers,
				 const __u64 *deadlines, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		struct wheel_op *op = &ops[i];

		op->op = what;
		op->flags = 0;
		op->id = ids[timers[i]];
		op->when = deadlines ? deadlines[i] : 0;
		op->slack = 0;
		op->cookie = 0;
	}
	submit(n);
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		submit_arms(timers + i, deadlines + i, least(batch, n - i));
}

static void rearm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		  __u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		submit_others(WHEEL_OP_REARM, timers + i, deadlines + i,
			      least(batch, n - i));
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		submit_others(WHEEL_OP_CANCEL, timers + i, NULL,
			      least(batch, n - i));
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		submit_others(WHEEL_OP_QUERY, timers + i, NULL,
			      least(batch, n - i));
}

/* Without epoll, the caller always tries to take events. */
static inline bool woken(void)
{
	struct epoll_event event;

	return epoll < 0 || epoll_wait(epoll, &event, 1, 0) == 1;
}

static inline __u32 take_events(__u32 batch)
{
	ssize_t bytes;
	int taken;

	if (user) {
		taken = libwheel_expirations(user, events, batch);
		return taken > 0 ? (__u32)taken : 0;
	}
	bytes = read(fd, events, batch * sizeof(*events));
	return bytes > 0 ? (__u32)bytes / sizeof(*events) : 0;
}

static __u32 take(__u32 batch)
{
	return woken() ? take_events(batch) : 0;
}

/* Read each event, as a program does. */
static inline __u32 take_entries(void)
{
	struct wheel_enter enter = { .size = sizeof(enter) };
	__u32 tail, taken;

	if (__atomic_load_n(&kernel_page->kflags, __ATOMIC_RELAXED) & WHEEL_RING_BACKLOG &&
	    ioctl(fd, WHEEL_IOC_ENTER, &enter))
		die("WHEEL_IOC_ENTER");
	tail = __atomic_load_n(&kernel_page->event_tail, __ATOMIC_ACQUIRE);
	taken = tail - head;
	for (; head != tail; head++) {
		const struct wheel_event *event = &entries[head % MOST_WINDOW];

		if (ids[event->cookie] != event->id)
			die("an event of another timer");
	}
	__atomic_store_n(&user_page->event_head, head, __ATOMIC_RELEASE);
	return taken;
}

static __u32 take_ring(__u32 batch)
{
	(void)batch;
	return woken() ? take_entries() : 0;
}

static __u32 wait_for_due(__u64 until)
{
	struct epoll_event event;

	sleep_on(epoll, &event, 1, until);
	return user_page ? take_entries() : take_events(MOST_BATCH);
}

static void repeat(__u32 timer, __u64 period)
{
	ops[0] = (struct wheel_op){
		.op = WHEEL_OP_ARM, .id = ids[timer] += WHEEL_ID(0, 1), .when = now() + period,
		.period = period, .cookie = timer,
	};
	submit(1);
}

#define WHEEL(title, number, open_scheme) {					\
	.name = title, .calls = true, .takes = true, .wakes = true,	\
	.open = open_scheme, .close = close_wheel,			\
	.take = take, .take_ring = take_ring, .wait = wait_for_due,	\
	.repeat = repeat,						\
	.arm = arm, .rearm = rearm, .cancel = cancel, .query = query,	\
	.has_words = true, .scheme = (number), .backend = LIBWHEEL_KERNEL,	\
}

const struct contestant hashed = WHEEL("hashed", WHEEL_HASHED, open_hashed);
const struct contestant hierarchical = WHEEL("hierarchical", WHEEL_HIERARCHICAL,
						    open_hierarchical);

/* It delivers without a system call, so there is no other way as the ring. */
const struct contestant library = {
	.name = "library", .calls = true, .takes = true, .wakes = true,
	.open = open_library, .close = close_wheel,
	.take = take, .take_ring = take, .wait = wait_for_due, .repeat = repeat,
	.arm = arm, .rearm = rearm, .cancel = cancel, .query = query,
	.has_words = true, .scheme = WHEEL_HIERARCHICAL, .backend = LIBWHEEL_USER,
};
