// SPDX-License-Identifier: MIT
/*
 * Error messages, memory, signals and text files.
 */
#define _GNU_SOURCE
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

void fail(int status, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

void flush_or_fail(void)
{
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_DEVICE, "cannot write to stdout");
}

/* A file opened later must not become stdout, to which writes must fail. */
void open_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		fail(EXIT_DEVICE, "no memory for %zu x %zu bytes", count, size);
	return memory;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count, size);

	if (!memory)
		fail(EXIT_DEVICE, "no memory for %zu x %zu bytes", count, size);
	return memory;
}

/* Check whether modprobe can find the module. */
static bool is_installed(const char *modules)
{
	char path[PATH_MAX], line[512];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/modules.dep", modules);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, ":")] = '\0';
		found = strstr(line, "/wheel_timer.ko");
	}
	fclose(file);
	return found;
}

/* Set @top to the source tree in which a program was built. */
static bool find_checkout(const char *path, char *top, size_t size)
{
	const char *tools = strstr(path, "/tools/");
	char kbuild[PATH_MAX];

	if (!tools || (size_t)(tools - path) >= size)
		return false;
	snprintf(top, size, "%.*s", (int)(tools - path), path);
	snprintf(kbuild, sizeof(kbuild), "%s/Kbuild", top);
	return !access(kbuild, F_OK);
}

struct advice advice_on_absence(const char *modules, const char *path, const char *sudo)
{
	char top[150], module[200];
	struct advice advice;

	if (is_installed(modules)) {
		snprintf(advice.s, sizeof(advice.s), "load the module: %smodprobe wheel_timer",
			 sudo);
		return advice;
	}
	if (!find_checkout(path, top, sizeof(top))) {
		snprintf(advice.s, sizeof(advice.s),
			 "install the module wheel_timer for this kernel, then: %smodprobe wheel_timer",
			 sudo);
		return advice;
	}
	snprintf(module, sizeof(module), "%s/wheel_timer.ko", top);
	if (access(module, F_OK))
		snprintf(advice.s, sizeof(advice.s),
			 "build the module and load it: make -C %s && %sinsmod %s",
			 top, sudo, module);
	else
		snprintf(advice.s, sizeof(advice.s), "load the module: %sinsmod %s", sudo, module);
	return advice;
}

struct advice advice_here(void)
{
	struct advice loaded = { "the module is loaded: does this container lack the device?" };
	struct utsname kernel;
	char modules[sizeof(kernel.release) + 16];
	char path[PATH_MAX];
	ssize_t length;

	if (!access("/sys/module/wheel_timer", F_OK))
		return loaded;
	uname(&kernel);
	snprintf(modules, sizeof(modules), "/lib/modules/%s", kernel.release);
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[length < 0 ? 0 : length] = '\0';
	return advice_on_absence(modules, path, geteuid() ? "sudo " : "");
}

static void get_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
}

int interrupt_open(void)
{
	sigset_t signals;
	int fd;

	get_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		fail(EXIT_DEVICE, "signalfd: %s", strerror(errno));
	return fd;
}

int interrupt_seen(int fd)
{
	struct signalfd_siginfo info;
	sigset_t signals;

	if (fd < 0 || read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	get_signals(&signals);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	return 128 + (int)info.ssi_signo;
}

void lines_open(struct lines *l, const char *path)
{
	memset(l, 0, sizeof(*l));
	l->path = path;
	l->file = gzopen(path, "re");
	if (!l->file)
		fail(EXIT_USAGE, "%s: %s", path, strerror(errno));
	gzbuffer(l->file, 1 << 17);
}

void lines_reject(const struct lines *l, const char *format, ...)
{
	char why[200];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	fail(EXIT_USAGE, "%s:%u: %s", l->path, l->number, why);
}

/* gzip files have a checksum and a length, so that damage is detected. */
static void check_read(const struct lines *l)
{
	int error = errno, zlib_error;

	gzerror(l->file, &zlib_error);
	if (zlib_error == Z_ERRNO)
		fail(EXIT_USAGE, "%s: %s", l->path, strerror(error));
	if (zlib_error != Z_OK && zlib_error != Z_STREAM_END)
		fail(EXIT_USAGE, "%s: the compressed file is damaged", l->path);
}

/* Read the next line; return false at the end of the file. */
bool lines_next(struct lines *l)
{
	z_off_t start = gztell(l->file);
	size_t length;

	if (!gzgets(l->file, l->text, sizeof(l->text))) {
		check_read(l);
		return false;
	}
	l->number++;
	length = (size_t)(gztell(l->file) - start);
	l->before = l->crc;
	l->crc = (u32)crc32(l->crc, (const Bytef *)l->text, (uInt)length);
	if (strlen(l->text) != length)
		lines_reject(l, "contains a zero byte");
	if (l->text[length - 1] == '\n')
		l->text[--length] = '\0';
	else if (length == sizeof(l->text) - 1)
		lines_reject(l, "is too long");
	else
		check_read(l);
	if (length && l->text[length - 1] == '\r')
		lines_reject(l, "ends in a carriage return; expected a line feed alone");
	return true;
}

void lines_close(struct lines *l)
{
	gzclose(l->file);
}
