// SPDX-License-Identifier: MIT
/*
 * Open a wheel: check the options and select a backend.
 */
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* Size of the struct in the first version. Every program passes at least this size. */
#define OLDEST_OPTIONS	sizeof(struct libwheel_options)

/* One page, the limit of the device. */
#define LONGEST_OPTIONS	4096

static bool all_zero(const unsigned char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Fields missing in an older program's struct are 0. Fields of a newer version must be 0. */
static int options_copy(struct libwheel_options *to,
			const struct libwheel_options *from)
{
	size_t size = from->size;
	size_t known = size < sizeof(*to) ? size : sizeof(*to);

	if (size < OLDEST_OPTIONS)
		return invalid("options.size is not sizeof(struct libwheel_options)");
	if (size > LONGEST_OPTIONS)
		return -E2BIG;
	if (!all_zero((const unsigned char *)from + known, size - known))
		return -E2BIG;
	memset(to, 0, sizeof(*to));
	memcpy(to, from, known);
	return 0;
}

/* The environment chooses a backend if the program does not. */
static int backend_wanted(const struct libwheel_options *options)
{
	const char *name = NULL;

	if (options->mode & ~(LIBWHEEL_NO_FD | LIBWHEEL_ONE_THREAD))
		return invalid("options.mode has an unknown flag");
	if (options->backend > LIBWHEEL_USER)
		return invalid("options.backend is not LIBWHEEL_AUTO, _KERNEL or _USER");
	if (options->backend == LIBWHEEL_AUTO)
		name = secure_getenv("LIBWHEEL_BACKEND");
	if (!name || !*name)
		return options->backend;
	if (!strcmp(name, "auto"))
		return LIBWHEEL_AUTO;
	if (!strcmp(name, "kernel"))
		return LIBWHEEL_KERNEL;
	if (!strcmp(name, "user"))
		return LIBWHEEL_USER;
	return -ENOPROTOOPT;
}

/*
 * Errors of a kernel that does not support the request. -EPERM is caused by the device rules of
 * a container or a service, or by a tick that is too short for this program.
 */
static bool kernel_cannot(int err)
{
	switch (err) {
	case -EPERM:
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
	case -ENOTTY:
	case -EACCES:
	case -EOPNOTSUPP:
		return true;
	default:
		return false;
	}
}

static int open_backend(struct handle **handle, int backend,
			const struct wheel_setup *requested, __u32 mode)
{
	struct wheel_setup setup = *requested;
	int err = -EOPNOTSUPP;

	if (backend != LIBWHEEL_USER && !(mode & LIBWHEEL_NO_FD))
		err = kernel_open(handle, &setup);
	if (backend == LIBWHEEL_KERNEL || !kernel_cannot(err))
		return err;
	setup = *requested;
	return user_open(handle, &setup, mode);
}

static bool can_be_set(__u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

/* Only hashed and bounded wheels support a clock that can be set. */
static __u32 best_scheme(__u32 clock)
{
	return can_be_set(clock) ? WHEEL_HASHED : WHEEL_HIERARCHICAL;
}

/* Returns the option that a backend has rejected, as a message for -EINVAL. */
static const char *invalid_option(const struct libwheel_options *options)
{
	if (options->flags & ~WHEEL_SETUP_WORDS)
		return "options.flags has an unknown flag";
	if (options->clock > WHEEL_CLOCK_VIRTUAL)
		return "options.clock is not one of WHEEL_CLOCK_*";
	if (options->scheme > WHEEL_OVERFLOW)
		return "options.scheme is not one of the schemes WHEEL_*";
	if (options->tick_ns > WHEEL_MAX_TIME)
		return "options.tick_ns exceeds 2^63-1 ns";
	if (options->buckets > WHEEL_MAX_BUCKETS)
		return "options.buckets exceeds 2^20";
	if (options->timers > WHEEL_MAX_TIMERS)
		return "the number of timers exceeds WHEEL_MAX_TIMERS, 2^24";
	return "the number of timers exceeds WHEEL_OVERFLOW_TIMERS";
}

/* An errno with one meaning, so that its message can name the remedy. */
static int error_of_open(int err, const struct libwheel_options *options)
{
	switch (err) {
	case -EINVAL:
		return invalid(invalid_option(options));
	case -ENOENT:
	case -ENXIO:
		return -ENODEV;
	case -EOPNOTSUPP:
		return can_be_set(options->clock) && (options->scheme == WHEEL_HIERARCHICAL ||
			options->scheme == WHEEL_OVERFLOW) ? -EPROTOTYPE : err;
	default:
		return err;
	}
}

int options_open(struct libwheel **wheel, const struct libwheel_options *options, __u32 slots)
{
	struct libwheel_options o;
	struct wheel_setup setup;
	struct handle *handle;
	int saved = errno;
	int backend, err;
	__u32 mode;

	err = options_copy(&o, options);
	if (err)
		return err;
	if (slots) {
		o.flags |= WHEEL_SETUP_WORDS;
		o.timers = slots;
	}
	setup = (struct wheel_setup){
		.size		= sizeof(setup),
		.flags		= o.flags,
		.clock		= o.clock,
		.scheme		= o.scheme ?: best_scheme(o.clock),
		.tick_ns	= o.tick_ns,
		.timers		= o.timers,
		.buckets	= o.buckets,
	};
	backend = backend_wanted(&o);
	if (backend < 0)
		return backend;
	mode = o.mode & LIBWHEEL_NO_FD;
	if (slots && o.mode & LIBWHEEL_ONE_THREAD)
		mode |= PRIVATE_WORDS;
	err = open_backend(&handle, backend, &setup, mode);
	errno = saved;
	if (!err)
		*wheel = &handle->wheel;
	return error_of_open(err, &o);
}

int libwheel_open(struct libwheel **wheel, const struct libwheel_options *options)
{
	const struct libwheel_options defaults = { .size = sizeof(defaults) };

	return options_open(wheel, options ?: &defaults, 0);
}

void libwheel_close(struct libwheel *wheel)
{
	if (wheel)
		handle_of(wheel)->backend->close(handle_of(wheel));
}
