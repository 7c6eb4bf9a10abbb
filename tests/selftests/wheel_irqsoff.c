// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wheel_irqsoff.h"
#include "wheel_machine.h"

#define INSTRUMENT	"/sys/kernel/debug/wheel_irqsoff/"
/* The outermost function of the instrument's interrupt. */
#define ENTRY		" asm_sysvec_apic_timer_interrupt "
/* Number of printed functions. */
#define NAMES		4

bool wt_preemptible(bool fully)
{
	return wt_write_file("/sys/kernel/debug/sched/preempt", fully ? "full" : "voluntary");
}

int wt_irqsoff_open(enum wt_disabled what)
{
	return open(what == WT_PREEMPTION ? INSTRUMENT "preemption" : INSTRUMENT "interrupts",
		    O_RDWR);
}

bool wt_irqsoff_reset(int fd)
{
	return write(fd, "0", 1) == 1;
}

bool wt_irqsoff_read(int fd, struct wt_irqsoff *longest)
{
	memset(longest, 0, sizeof(*longest));
	return read(fd, longest->text, sizeof(longest->text) - 1) > 0;
}

bool wt_irqsoff_inject(enum wt_disabled what, const char *ns)
{
	return wt_write_file(what == WT_PREEMPTION ? INSTRUMENT "inject_preemption" :
						     INSTRUMENT "inject", ns);
}

__u64 wt_irqsoff_print(const char *name, const struct wt_irqsoff *longest)
{
	const char *where = strstr(longest->text, ENTRY);
	const char *first = strchr(longest->text, ' ');
	__u64 ns = strtoull(longest->text, NULL, 10);
	int names;

	printf("# %-26s %8llu ", name, ns);
	where = where ? where + sizeof(ENTRY) - 2 : first;
	for (names = 0; where && names < NAMES; names++) {
		printf(" %.*s", (int)strcspn(where + 1, "\n "), where + 1);
		where = strchr(where + 1, ' ');
	}
	printf("\n");
	fflush(stdout);
	return ns;
}
