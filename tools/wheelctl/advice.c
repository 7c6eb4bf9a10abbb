// SPDX-License-Identifier: MIT
/*
 * Advice for a machine that has no device.
 */
#define _GNU_SOURCE
#include "advice.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Does modprobe know the module? @modules: the folder of the kernel's modules. */
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

/* Sets @top to the checkout that a program was built in. */
static bool find_checkout(const char *program, char *top, size_t size)
{
	const char *tool = strstr(program, "/tools/wheelctl/");
	char path[PATH_MAX];

	if (!tool || (size_t)(tool - program) >= size)
		return false;
	snprintf(path, sizeof(path), "%.*s/Kbuild", (int)(tool - program), program);
	memcpy(top, program, (size_t)(tool - program));
	top[tool - program] = '\0';
	return !access(path, F_OK);
}

/**
 * advice_on_absence - what makes the device appear
 * @modules: the folder of the kernel's modules
 * @program: path of this program
 * @sudo: what the caller puts before a command of root's: "sudo ", or nothing
 *
 * Return: "load the module: modprobe wheel_timer", or what fits better.
 */
struct advice advice_on_absence(const char *modules, const char *program,
				const char *sudo)
{
	char top[150], module[200];
	struct advice advice;

	if (is_installed(modules)) {
		snprintf(advice.s, sizeof(advice.s),
			 "load the module: %smodprobe wheel_timer", sudo);
		return advice;
	}
	if (!find_checkout(program, top, sizeof(top))) {
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
		snprintf(advice.s, sizeof(advice.s),
			 "load the module: %sinsmod %s", sudo, module);
	return advice;
}

/**
 * advice_here - the same for this machine and this program
 *
 * Return: the advice.
 */
struct advice advice_here(void)
{
	struct utsname kernel;
	char modules[sizeof(kernel.release) + 16];
	char program[PATH_MAX];
	struct advice loaded = {
		"the module is loaded: does this container lack the device?"
	};
	ssize_t length;

	if (!access("/sys/module/wheel_timer", F_OK))
		return loaded;
	uname(&kernel);
	snprintf(modules, sizeof(modules), "/lib/modules/%s", kernel.release);
	length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[length < 0 ? 0 : length] = '\0';
	return advice_on_absence(modules, program, geteuid() ? "sudo " : "");
}
