// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wheel_uring.h"

#define ENTRIES	8

static int uring_enter(const struct wt_uring *u, __u32 submit, __u32 wait, __u32 flags)
{
	return syscall(__NR_io_uring_enter, u->fd, submit, wait, flags, NULL, 0);
}

static void *map(const struct wt_uring *u, size_t size, off_t offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, offset);
}

static size_t rings_size(const struct wt_uring *u)
{
	return u->params.cq_off.cqes + u->params.cq_entries * sizeof(struct io_uring_cqe);
}

bool wt_uring_open(struct wt_uring *u)
{
	memset(u, 0, sizeof(*u));
	u->fd = syscall(__NR_io_uring_setup, ENTRIES, &u->params);
	if (u->fd < 0)
		return false;
	u->rings = map(u, rings_size(u), IORING_OFF_SQ_RING);
	u->sqe = map(u, u->params.sq_entries * sizeof(*u->sqe), IORING_OFF_SQES);
	return u->rings != MAP_FAILED && u->sqe != MAP_FAILED;
}

void wt_uring_close(struct wt_uring *u)
{
	munmap(u->sqe, u->params.sq_entries * sizeof(*u->sqe));
	munmap(u->rings, rings_size(u));
	close(u->fd);
}

bool wt_uring_watch(struct wt_uring *u, int fd)
{
	__u32 *tail = (__u32 *)(u->rings + u->params.sq_off.tail);
	__u32 *array = (__u32 *)(u->rings + u->params.sq_off.array);

	*u->sqe = (struct io_uring_sqe) {
		.opcode = IORING_OP_POLL_ADD, .fd = fd,
		.len = IORING_POLL_ADD_MULTI, .poll_events = POLLIN,
	};
	array[*tail % u->params.sq_entries] = 0;
	u->ended = false;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return uring_enter(u, 1, 0, 0) == 1;
}

int wt_uring_told(struct wt_uring *u, __u32 wait)
{
	const struct io_uring_cqe *cqe = (void *)(u->rings + u->params.cq_off.cqes);
	__u32 *head = (__u32 *)(u->rings + u->params.cq_off.head);
	__u32 *tail = (__u32 *)(u->rings + u->params.cq_off.tail);
	int mask = 0;

	/* A wake-up is reported when a task leaves a system call. */
	uring_enter(u, 0, wait, IORING_ENTER_GETEVENTS);
	while (u->told != __atomic_load_n(tail, __ATOMIC_ACQUIRE)) {
		u->ended |= !(cqe[u->told % u->params.cq_entries].flags & IORING_CQE_F_MORE);
		mask |= cqe[u->told++ % u->params.cq_entries].res;
	}
	__atomic_store_n(head, u->told, __ATOMIC_RELEASE);
	return mask;
}
