// SPDX-License-Identifier: MIT
/*
 * Tasks: call the functions of expired timers, in this thread or in a thread pool.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "handle.h"
#include "libwheel_task.h"

/* Limit of thread ids in the kernel, for all processes together. */
#define MOST_THREADS	(1U << 22)

/**
 * struct libwheel_pool - threads that run tasks
 * @wheel: wheel of the tasks' timers
 * @gate: held until all threads were created, or creating one failed
 * @open: true if all threads were created; constant after @gate was released
 * @count: number of threads
 * @threads: the threads
 */
struct libwheel_pool {
	struct libwheel *wheel;
	pthread_mutex_t gate;
	bool open;
	uint32_t count;
	pthread_t threads[];
};

static void call(const struct wheel_event *event)
{
	struct libwheel_task *task = (struct libwheel_task *)(size_t)event->cookie;

	task->run(task, event);
}

/* Takes one event at a time, so that other threads can take the next ones. */
int libwheel_run(struct libwheel *wheel, uint32_t most)
{
	struct wheel_event event;
	uint32_t count;

	for (count = 0; count < most; count++) {
		int ret = libwheel_expirations(wheel, &event, 1);

		if (ret < 0 && !count)
			return ret;
		if (ret != 1)
			break;
		call(&event);
	}
	return (int)count;
}

/* Calls tasks until the wheel was stopped and all events were taken. */
static void *work(void *arg)
{
	struct libwheel_pool *pool = arg;
	struct wheel_event event;
	int ret = -EINTR;

	pthread_mutex_lock(&pool->gate);
	if (!pool->open)
		ret = -ESHUTDOWN;
	pthread_mutex_unlock(&pool->gate);
	while (ret == -EINTR || ret >= 0) {
		ret = libwheel_wait(pool->wheel, &event, 1, -1);
		if (ret == 1)
			call(&event);
	}
	return NULL;
}

static void join_all(struct libwheel_pool *pool)
{
	uint32_t i;

	for (i = 0; i < pool->count; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_mutex_destroy(&pool->gate);
	free(pool);
}

/* Creates all threads or none: threads that were created wait at the gate. */
static int threads_start(struct libwheel_pool *pool, uint32_t threads)
{
	sigset_t all, before;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&pool->gate);
	while (pool->count < threads && !err) {
		err = -pthread_create(&pool->threads[pool->count], NULL, work, pool);
		pool->count += !err;
	}
	pool->open = !err;
	pthread_mutex_unlock(&pool->gate);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static int pool_make(struct libwheel_pool **pool, struct libwheel *wheel,
		     uint32_t threads)
{
	struct libwheel_pool *p;
	int err;

	p = calloc(1, sizeof(*p) + threads * sizeof(p->threads[0]));
	if (!p)
		return -ENOMEM;
	p->wheel = wheel;
	pthread_mutex_init(&p->gate, NULL);
	err = threads_start(p, threads);
	if (err)
		join_all(p);
	else
		*pool = p;
	return err;
}

int libwheel_pool_open(struct libwheel_pool **pool, struct libwheel *wheel,
		       uint32_t threads)
{
	int saved = errno;
	int err;

	if (!*handle_of(wheel)->ours)
		return -ECHILD;
	if (!threads)
		return -EINVAL;
	if (libwheel_fd(wheel) < 0)
		return libwheel_fd(wheel);
	if (threads > MOST_THREADS)
		return -EAGAIN;
	err = pool_make(pool, wheel, threads);
	errno = saved;
	return err;
}

int libwheel_pool_close(struct libwheel_pool *pool)
{
	uint32_t i;
	int err;

	if (!pool)
		return 0;
	if (!*handle_of(pool->wheel)->ours)
		return -ECHILD;
	for (i = 0; i < pool->count; i++)
		if (pthread_equal(pool->threads[i], pthread_self()))
			return -EDEADLK;
	err = libwheel_stop(pool->wheel, NULL);
	if (!err)
		join_all(pool);
	return err;
}
