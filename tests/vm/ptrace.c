// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into User-Mode Linux, whose buffer for the extended state of a process does not include
 * the state of AMX. ptrace() accepts only a complete state, so the current rest of it is added.
 */
#include <dlfcn.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <string.h>
#include <sys/uio.h>

long ptrace(long request, int pid, void *addr, struct iovec *part)
{
	typeof(ptrace) *next = dlsym(RTLD_NEXT, "ptrace");
	static char state[1 << 16];
	struct iovec whole = { .iov_base = state, .iov_len = sizeof(state) };

	if (request != PTRACE_SETREGSET || addr != (void *)NT_X86_XSTATE ||
	    next(PTRACE_GETREGSET, pid, addr, &whole))
		return next(request, pid, addr, part);
	memcpy(state, part->iov_base, part->iov_len);
	return next(request, pid, addr, &whole);
}
