// SPDX-License-Identifier: MIT
/*
 * libwheel for Java: each function is a native method of the class Native. The generated header
 * declares it and makes it visible.
 */
#include <errno.h>
#include <libwheel.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "io_github_wheel_timer_netty_Native.h"

/* A constant of the class. */
#define CONSTANT(name)	io_github_wheel_timer_netty_Native_##name

/* Operations or events per call. */
#define BATCH	256

#define WORD_BITS	64

_Static_assert((__u64)CONSTANT(PARKED) == WHEEL_WORD_PARKED, "PARKED");
_Static_assert(1ULL << CONSTANT(IDLE_BIT) == WHEEL_WORD_IDLE, "IDLE");
_Static_assert(CONSTANT(ESHUTDOWN) == ESHUTDOWN, "ESHUTDOWN");

static struct libwheel *wheel_of(jlong address)
{
	return (struct libwheel *)(uintptr_t)address;
}

jlong Java_io_github_wheel_1timer_netty_Native_open(JNIEnv *env, jclass class, jint slots,
						    jlong tick_ns)
{
	const struct libwheel_options options = {
		.size = sizeof(options),
		.flags = WHEEL_SETUP_WORDS,
		.timers = slots,
		.tick_ns = tick_ns,
	};
	struct libwheel *wheel;
	int err = libwheel_open(&wheel, &options);

	return err ? err : (jlong)(uintptr_t)wheel;
}

void Java_io_github_wheel_1timer_netty_Native_close(JNIEnv *env, jclass class, jlong wheel)
{
	libwheel_close(wheel_of(wheel));
}

jint Java_io_github_wheel_1timer_netty_Native_stop(JNIEnv *env, jclass class, jlong wheel)
{
	return libwheel_stop(wheel_of(wheel), NULL);
}

jboolean Java_io_github_wheel_1timer_netty_Native_inKernel(JNIEnv *env, jclass class, jlong wheel)
{
	return libwheel_backend(wheel_of(wheel)) == LIBWHEEL_KERNEL;
}

jlong Java_io_github_wheel_1timer_netty_Native_now(JNIEnv *env, jclass class, jlong wheel)
{
	return libwheel_now(wheel_of(wheel));
}

jobject Java_io_github_wheel_1timer_netty_Native_words(JNIEnv *env, jclass class, jlong address)
{
	struct libwheel *wheel = wheel_of(address);

	return (*env)->NewDirectByteBuffer(env, wheel->words,
					   wheel->timers * sizeof(*wheel->words));
}

jobject Java_io_github_wheel_1timer_netty_Native_bells(JNIEnv *env, jclass class, jlong address)
{
	struct libwheel *wheel = wheel_of(address);
	__u64 count = (wheel->timers + WORD_BITS - 1) / WORD_BITS;

	return (*env)->NewDirectByteBuffer(env, wheel->bells,
					   count * sizeof(*wheel->bells));
}

jobject Java_io_github_wheel_1timer_netty_Native_nextWake(JNIEnv *env, jclass class, jlong address)
{
	struct libwheel *wheel = wheel_of(address);

	return (*env)->NewDirectByteBuffer(env, (void *)wheel->next_wake,
					   sizeof(*wheel->next_wake));
}

jint Java_io_github_wheel_1timer_netty_Native_keep(JNIEnv *env, jclass class, jlong wheel,
						   jint first, jint count)
{
	struct wheel_op ops[BATCH];
	jint kept = 0, i, n;

	while (kept < count) {
		n = count - kept < BATCH ? count - kept : BATCH;
		for (i = 0; i < n; i++)
			ops[i] = (struct wheel_op) {
				.op = WHEEL_OP_ARM,
				.flags = WHEEL_OP_WORD,
				.id = WHEEL_ID(first + kept + i, 1),
			};
		libwheel_submit(wheel_of(wheel), ops, n, NULL);
		/* The slots after a failed one remain unused. */
		for (i = 0; i < n && !ops[i].res; i++)
			kept++;
		if (i < n)
			return kept ? kept : ops[i].res;
	}
	return kept;
}

jint Java_io_github_wheel_1timer_netty_Native_tell(JNIEnv *env, jclass class, jlong wheel,
						   jint slot, jlong deadline)
{
	return libwheel_word_notify(wheel_of(wheel), WHEEL_ID(slot, 1), deadline);
}

jint Java_io_github_wheel_1timer_netty_Native_take(JNIEnv *env, jclass class, jlong wheel,
						   jintArray slots)
{
	struct wheel_event events[BATCH];
	jint room = (*env)->GetArrayLength(env, slots);
	jint numbers[BATCH];
	int count, i;

	count = libwheel_expirations(wheel_of(wheel), events,
				     room < BATCH ? room : BATCH);
	if (count <= 0)
		return count;
	for (i = 0; i < count; i++)
		numbers[i] = WHEEL_ID_SLOT(events[i].id);
	(*env)->SetIntArrayRegion(env, slots, 0, count, numbers);
	return count;
}

jint Java_io_github_wheel_1timer_netty_Native_newSet(JNIEnv *env, jclass class)
{
	int set = epoll_create1(EPOLL_CLOEXEC);

	return set < 0 ? -errno : set;
}

jint Java_io_github_wheel_1timer_netty_Native_addToSet(JNIEnv *env, jclass class, jint set,
						       jlong wheel, jint number)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(set, EPOLL_CTL_ADD, libwheel_fd(wheel_of(wheel)),
			 &event) ? -errno : 0;
}

jint Java_io_github_wheel_1timer_netty_Native_await(JNIEnv *env, jclass class, jint set,
						    jintArray wheels)
{
	struct epoll_event events[BATCH];
	jint room = (*env)->GetArrayLength(env, wheels);
	jint numbers[BATCH];
	int count, i;

	count = epoll_wait(set, events, room < BATCH ? room : BATCH, -1);
	if (count < 0)
		return -errno;
	for (i = 0; i < count; i++)
		numbers[i] = events[i].data.u32;
	(*env)->SetIntArrayRegion(env, wheels, 0, count, numbers);
	return count;
}

void Java_io_github_wheel_1timer_netty_Native_closeSet(JNIEnv *env, jclass class, jint set)
{
	close(set);
}

jstring Java_io_github_wheel_1timer_netty_Native_message(JNIEnv *env, jclass class, jlong error)
{
	return (*env)->NewStringUTF(env, libwheel_strerror((int)error));
}
