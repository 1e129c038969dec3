/* Kernel and user halves -> one call path, root first. The one place where order turns. */
#ifndef KERNEL_MERGE_MERGE_H
#define KERNEL_MERGE_MERGE_H

#include <stddef.h>

#include "cct/model/frame.h"

struct path_halves {
	const struct frame *user; /* leaf first */
	size_t n_user;
	const struct frame *kernel; /* leaf first */
	size_t n_kernel;
	/* The marker that ends the user half early; negative: it ends at the root, or the task has
	 * none. */
	int end_marker;
	enum marker off_cpu; /* why the thread was off the CPU; MARKER_KERNEL: it was not */
};

/*
 * Fills @path: [end marker] user frames [MARKER_KERNEL kernel frames] [off_cpu]. The kernel mark
 * stands only between user (or a marker for missing user frames) and kernel; a kernel thread's path
 * is its kernel frames. Needs n_user + n_kernel + 3 entries. Returns how many were written.
 */
size_t merge_call_path(const struct path_halves *halves, struct frame *path);

#endif
