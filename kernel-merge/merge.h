/* Kernel and user halves -> one call path, root first. The one place where order turns. */
#ifndef KERNEL_MERGE_MERGE_H
#define KERNEL_MERGE_MERGE_H

#include <stddef.h>

#include "cct/model/frame.h"

/* Whether a thread was running, and if not, why. */
enum cpu_state {
	ON_CPU,
	OFF_PREEMPTED, /* it could have run on */
	OFF_BLOCKED,   /* it waited for something, or slept */
	OFF_IO_WAIT,   /* it waited for a disk or the like */
};

struct path_halves {
	const struct frame *user; /* leaf first */
	size_t n_user;
	const struct frame *kernel; /* leaf first */
	size_t n_kernel;
	/* The marker that ends the user half early; negative: it ends at the root, or the task has
	 * none. */
	int end_marker;
	enum cpu_state cpu_state;
};

/* The marker of a state off the CPU. */
enum marker merge_cpu_state_marker(enum cpu_state state);
/*
 * Fills @path: [end marker] user frames [MARKER_KERNEL kernel frames] [marker of the state off the
 * CPU]. The kernel mark stands only between user (or a marker for missing user frames) and kernel;
 * a kernel thread's path is its kernel frames. Needs n_user + n_kernel + 3 entries. Returns how
 * many were written.
 */
size_t merge_call_path(const struct path_halves *halves, struct frame *path);

#endif
