/*
 * Merges the kernel and user parts of a path into one call path, root first. Only here the order is
 * reversed.
 */
#ifndef KERNEL_MERGE_MERGE_H
#define KERNEL_MERGE_MERGE_H

#include <stddef.h>

#include "cct/model/frame.h"

/* Whether a thread was running, and if not, why. */
enum cpu_state {
	ON_CPU,
	OFF_PREEMPTED, /* it was ready to run */
	OFF_BLOCKED,   /* it waited for something, or slept */
	OFF_IO_WAIT,   /* it waited for I/O */
};

struct path_halves {
	const struct frame *user; /* leaf first */
	size_t n_user;
	const struct frame *kernel; /* leaf first */
	size_t n_kernel;
	/*
	 * The marker for the reason why the user part is incomplete. Negative: it ends at the root,
	 * or the task has no user part.
	 */
	int end_marker;
	enum cpu_state cpu_state;
};

/* The marker for a state off the CPU. */
enum marker merge_cpu_state_marker(enum cpu_state state);
/*
 * Fills @path: [end marker] user frames [MARKER_KERNEL kernel frames] [marker of the state off the
 * CPU]. MARKER_KERNEL is only written between user frames (or a marker for missing ones) and kernel
 * frames; the path of a kernel thread consists of kernel frames alone. @path has room for n_user +
 * n_kernel + 3 entries. Returns the number of entries written.
 */
size_t merge_call_path(const struct path_halves *halves, struct frame *path);

#endif
