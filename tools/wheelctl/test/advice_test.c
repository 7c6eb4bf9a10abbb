// SPDX-License-Identifier: MIT
/*
 * The advice for a machine without a device, by how the tool came to this machine.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advice.h"
#include "ktap.h"

static char folder[21] = "/tmp/wheelctl.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static bool advises(const char *program, const char *what)
{
	char tool[100];

	snprintf(tool, sizeof(tool), "%s", path_of(program));
	return !strncmp(advice_on_absence(folder, tool, "sudo ").s, what, strlen(what));
}

static void absence(void)
{
	char insmod[140];

	if (!mkdtemp(folder))
		abort();
	write_file("modules.dep", "kernel/net/other.ko: kernel/wheel_timer.ko\n");
	KTAP_EXPECT(advises("bin/wheelctl", "install the module"));
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl", "install the module"));
	write_file("Kbuild", "");
	KTAP_EXPECT(advises("bin/wheelctl", "install the module"));
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl", "build the module"));
	write_file("wheel_timer.ko", "");
	snprintf(insmod, sizeof(insmod), "load the module: sudo insmod %s",
		 path_of("wheel_timer.ko"));
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl", insmod));
	write_file("modules.dep", "updates/dkms/wheel_timer.ko.xz:\n");
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl",
			    "load the module: sudo modprobe wheel_timer"));
	remove(path_of("modules.dep"));
	remove(path_of("Kbuild"));
	remove(path_of("wheel_timer.ko"));
	remove(folder);
}

const struct ktap_case advice_cases[] = {
	{ "advice on a missing device", absence },
	{ NULL }
};
