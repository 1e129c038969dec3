/*
 * A list of system calls (seccomp): all others fail with EPERM from now on. Those of the list work
 * with memory, time, own threads and descriptors that are open. No call of the shorter list takes
 * the name of a file, but newfstatat(), which the C library calls for descriptors.
 */
#ifndef COLLECTOR_SANDBOX_SYSCALL_FILTER_H
#define COLLECTOR_SANDBOX_SYSCALL_FILTER_H

#include <stdbool.h>

bool syscall_filter_is_here(void);

enum allowed_syscalls {
	SYSCALLS_WITHOUT_FILES,
	SYSCALLS_THAT_READ_FILES, /* also those that open files, which others must decide about, and
				     that prepare a terminal */
	SYSCALLS_THAT_WRITE_FILES, /* and those that name and remove files */
};

/* For the calling thread and those that it starts. It can't get new privileges (no_new_privs). 0 or
 * -errno. */
int syscall_filter_enter(enum allowed_syscalls allowed);

#endif
