/*
 * Merges the kernel and user parts of a path into one call path, root first. Only here the order is
 * reversed.
 */
#ifndef KERNEL_MERGE_MERGE_H
#define KERNEL_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cct/model/frame.h"

/* Why a thread was off the CPU. */
struct off_reason {
	int marker;       /* enum marker; negative: it was running */
	bool is_all_time; /* it never ran while it was recorded */
	uint64_t lock;    /* the address at which it waits, of MARKER_WAIT_LOCK; 0: not known */
	bool has_waker;   /* it is known who ended the wait: */
	uint32_t waker;   /* as in a FRAME_WAKER */
};

/* A value of a variable, which is a row below one of the functions at a user frame. */
struct path_value {
	bool is_there;
	uint32_t text;    /* in the profile's values */
	size_t at;        /* the frame, leaf first */
	uint16_t n_outer; /* of its functions, outermost first: those down to that function */
	bool has_inner;   /* others are inlined further in */
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
	struct off_reason off;
	struct path_value value;
};

/*
 * Fills @path: [end marker] user frames [MARKER_KERNEL kernel frames] [MARKER_OFF_ALL_TIME]
 * [lock] [waker] [off marker]. MARKER_KERNEL is only written between user frames (or a marker for
 * missing ones) and kernel frames; the path of a kernel thread consists of kernel frames alone.
 * The user frame with the value is followed by the value, and that by its inner part, if it has
 * one.
 * @path has room for n_user + n_kernel + 8 entries. Returns the number of entries written.
 */
size_t merge_call_path(const struct path_halves *halves, struct frame *path);

#endif
