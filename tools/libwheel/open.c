// SPDX-License-Identifier: MIT
/*
 * Opening: options, and which backend is to serve them.
 */
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* The struct of the first version, which every program passes at least. */
#define OLDEST_OPTIONS	sizeof(struct libwheel_options)

/* As the device has it: no version's struct is longer than a page. */
#define LONGEST_OPTIONS	4096

static bool all_zero(const unsigned char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Fields that an older program does not know are 0; fields that we do not know must be 0. */
static int options_copy(struct libwheel_options *to,
			const struct libwheel_options *from)
{
	size_t size = from->size;
	size_t known = size < sizeof(*to) ? size : sizeof(*to);

	if (size < OLDEST_OPTIONS)
		return -EINVAL;
	if (size > LONGEST_OPTIONS)
		return -E2BIG;
	if (!all_zero((const unsigned char *)from + known, size - known))
		return -E2BIG;
	memset(to, 0, sizeof(*to));
	memcpy(to, from, known);
	return 0;
}

/* The environment chooses where the program does not. */
static int backend_wanted(const struct libwheel_options *options)
{
	const char *name = NULL;

	if (options->mode & ~LIBWHEEL_NO_FD || options->backend > LIBWHEEL_USER)
		return -EINVAL;
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
	return -EINVAL;
}

/*
 * Errors which say that this machine's kernel does not do it. -EPERM comes from the rules for
 * devices of a container or a service; and of a tick that is too short for this program,
 * which the other backend refuses as well.
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
			const struct wheel_setup *asked, __u32 mode)
{
	struct wheel_setup setup = *asked;
	int err = -EOPNOTSUPP;

	if (backend != LIBWHEEL_USER && !mode)
		err = kernel_open(handle, &setup);
	if (backend == LIBWHEEL_KERNEL || !kernel_cannot(err))
		return err;
	setup = *asked;
	return user_open(handle, &setup, mode);
}

int libwheel_open(struct libwheel **wheel,
		  const struct libwheel_options *options)
{
	const struct libwheel_options defaults = {
		.size = sizeof(defaults), .scheme = WHEEL_HIERARCHICAL,
	};
	struct libwheel_options o;
	struct wheel_setup setup;
	struct handle *handle;
	int saved = errno;
	int backend, err;

	err = options_copy(&o, options ? options : &defaults);
	if (err)
		return err;
	setup = (struct wheel_setup){
		.size		= sizeof(setup),
		.flags		= o.flags,
		.clock		= o.clock,
		.scheme		= o.scheme,
		.tick_ns	= o.tick_ns,
		.timers		= o.timers,
		.buckets	= o.buckets,
	};
	backend = backend_wanted(&o);
	if (backend < 0)
		return backend;
	err = open_backend(&handle, backend, &setup, o.mode);
	errno = saved;
	if (!err)
		*wheel = &handle->wheel;
	return err;
}

void libwheel_close(struct libwheel *wheel)
{
	if (wheel)
		handle_of(wheel)->backend->close(handle_of(wheel));
}
